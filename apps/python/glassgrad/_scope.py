"""What of PyTorch glassgrad leaves out, as the errors say it; docs/python.md lists the same."""


def _out(what, names):
    return dict.fromkeys(names.split(), what + " out of glassgrad's scope")


_CONVOLUTION = "convolution in two and three dimensions, and pooling, are"
_RECURRENT = "recurrent layers are"
_SPARSE, _QUANTISED, _SIGNALS = "sparse tensors are", "quantised numbers are", "Fourier transforms are"
_DECOMPOSED = "decompositions of matrices are"

TORCH = {
    **_out(_CONVOLUTION, "conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d "
                         "max_pool3d avg_pool1d adaptive_avg_pool1d pixel_shuffle"),
    **_out(_RECURRENT, "lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell"),
    **_out(_SPARSE, "sparse sparse_coo_tensor sparse_csr_tensor sparse_coo sparse_csr"),
    **_out(_QUANTISED, "quantization ao quantize_per_tensor quantize_per_channel qint8 quint8 qint32"),
    **_out(_SIGNALS, "fft stft istft signal hann_window hamming_window"),
    **_out(_DECOMPOSED, "svd symeig lu qr cholesky eig lobpcg pca_lowrank svd_lowrank"),
    **_out("functions of functions (vmap) are", "func vmap functional"),
    **_out("nested tensors are", "nested"),
    **_out("other machines' programs are", "hub package export"),
}
# Modules of PyTorch that a program may import, here or below what is out anyway. What uses one fails.
MODULES = set("""
    futures library masked monitor mtia overrides package utils.benchmark utils.bottleneck utils.collect_env
    utils.cpp_extension utils.dlpack utils.mobile_optimizer utils.model_zoo utils.flop_counter distributed.algorithms
    distributed.checkpoint distributed.device_mesh distributed.elastic distributed.fsdp distributed.nn
    distributed.optim distributed.pipelining distributed.rpc distributed.tensor distributed.tensor.parallel
    nn.attention.flex_attention nn.quantized nn.intrinsic nn.qat nn.utils.fusion nn.utils.prune nn.utils.stateless
    autograd.profiler autograd.forward_ad profiler.profiler jit.mobile optim.swa_utils
""".split())
# Modules of PyTorch that programs import in spite of their names.
UNDERSCORED = {"_dynamo", "_inductor"}
NN = {
    **_out(_CONVOLUTION, "Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv2d LazyConv3d "
                         "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d "
                         "AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d BatchNorm2d "
                         "BatchNorm3d InstanceNorm2d "
                         "Upsample PixelShuffle Unfold Fold Dropout2d ZeroPad2d ReflectionPad2d LazyBatchNorm2d"),
    **_out(_RECURRENT, "RNN LSTM GRU RNNCell LSTMCell GRUCell RNNBase"),
    **_out(_QUANTISED, "quantized qat quantizable"),
}
FUNCTIONAL = {
    **_out(_CONVOLUTION, "conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d "
                         "max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
                         "adaptive_max_pool2d interpolate upsample grid_sample affine_grid pixel_shuffle unfold fold "
                         "dropout2d"),
}
LINALG = _out(_DECOMPOSED, "svd svdvals qr eig eigh eigvals eigvalsh cholesky lu lu_factor pinv lstsq "
                           "matrix_rank cond")
