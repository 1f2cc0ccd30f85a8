// Python's copy.
#include "apps/script/library.h"

namespace glassgrad::script {

const std::string_view kCopy = R"py(
def module(native):
    class Error(Exception): pass
    def of_tensor(x, y):
        return type(x)(y, x.requires_grad) if type(x).__name__ == 'Parameter' else y.requires_grad_(x.requires_grad)
    def kind_of(x):
        kind = type(x).__name__
        if kind == 'generator' or kind == 'module':
            raise TypeError(f"cannot pickle '{kind}' object")
        return 'Tensor' if kind == 'Parameter' else kind

    def copy(x):
        if isinstance(x, (list, dict, set)):
            return x.copy()
        if hasattr(x, '__copy__'):
            return x.__copy__()
        made = native.blank(x)
        if made is not None:
            if type(x).__module__ == 'collections':
                return x.copy()
            made.__dict__.update(x.__dict__)
            return made
        return of_tensor(x, x.detach()) if kind_of(x) == 'Tensor' else x

    def deepcopy(x, memo=None):
        if memo is None:
            memo = {}
        if isinstance(x, (bool, int, float, str)) or x is None:
            return x
        place = native.id(x)
        if place in memo:
            return memo[place]
        if isinstance(x, list):
            made = memo[place] = []
            for item in x:
                made.append(deepcopy(item, memo))
        elif isinstance(x, dict):
            made = memo[place] = {}
            for key, item in x.items():
                made[deepcopy(key, memo)] = deepcopy(item, memo)
        elif isinstance(x, tuple):
            made = tuple([deepcopy(item, memo) for item in x])
            if all([a is b for a, b in zip(made, x)]):
                return x
        elif isinstance(x, set):
            made = {deepcopy(item, memo) for item in x}
        elif hasattr(x, '__deepcopy__'):
            made = x.__deepcopy__(memo)
        else:
            made = native.blank(x)
            if made is not None:
                memo[place] = made
                for name, item in list(x.__dict__.items()):
                    made.__dict__[name] = deepcopy(item, memo)
            elif kind_of(x) == 'Tensor':
                if not x.is_leaf:
                    raise RuntimeError('Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at '
                                       'the moment.  If you were attempting to deepcopy a module, this may be because of a '
                                       'torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001')
                made = of_tensor(x, x.detach().clone())
                if x.grad is not None:
                    made.grad = x.grad.clone()
            else:
                return x
        memo[place] = made
        return made
    return {'copy': copy, 'deepcopy': deepcopy, 'Error': Error, 'error': Error}
)py";

}  // namespace glassgrad::script
