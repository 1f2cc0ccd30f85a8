// Errors and changes name a line by the lesson's file, which a reader of the page does not have. These functions name
// the step and the line of its code instead.
function inStepsWords(lesson, text) {
  const placed = line => placeOfFileLine(lesson, Number(line)) ?? 'A line that no step shows';
  return text.replace(/^[^\s:]+\.(?:md|py):(\d+): /, (_, line) => `${placed(line)}: `)
    .replace(/(^|Set: )line (\d+): /, (_, before, line) => `${before}${placed(line)}: `);
}

// Returns "Step 25, line 2 of its code"; null if no step shows the line. For a line inside a call, a step that shows
// its class comes first.
function placeOfFileLine(lesson, line) {
  const placeIn = (step, block, k) => `Step ${step.place}, line ${block.first + k + 1} of its code`;
  let inside = null;
  for (const step of lesson.lists.forward) {
    for (const block of step.blocks ?? []) {
      if (block.line && line >= block.line && line < block.line + block.count) return placeIn(step, block, line - block.line);
      const k = block.stands?.indexOf(line) ?? -1;
      if (k >= 0) inside ??= placeIn(step, block, k);
    }
  }
  return inside;
}
