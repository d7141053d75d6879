/**
 * grpc: Argo CD's API as gRPC speaks it: its messages and methods as two tables, a codec between JSON objects and bytes, and
 * the frames and statuses of gRPC and gRPC-web. The server brings the transport and the methods.
 *
 * Invariants
 * (1) No class stands for a message. The tables are drawn from the facts of the public .proto files (tools/oracles/argocd), and a
 *     message is the JSON object that REST has; a golden test holds every message to the bytes that Go writes.
 * (2) A method is the same as its REST call, so that nothing is decided twice: `restCallOf` says which.
 * (3) What arrives is limited before it is read: the length of a message by its prefix; compressed messages are refused.
 */
export { decodeMessage } from './decode.ts';
export { fileDeclaring, fileNamed, serviceNames, standard } from './descriptors.ts';
export { encodeField, encodeMessage } from './encode.ts';
export { frameOf, MessageFrames, trailerFrame, UnsupportedCall } from './frames.ts';
export { restCallOf } from './rest-call.ts';
export { type GrpcMethod, grpcMethods } from './services.ts';
export { grpcCode, statusHeaders, timeoutIn } from './status.ts';
