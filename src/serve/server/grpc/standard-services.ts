import type { Readable } from 'node:stream';
import type { Ctx } from '#base/std';
import {
  decodeMessage,
  encodeMessage,
  fileDeclaring,
  fileNamed,
  MessageFrames,
  serviceNames,
  standard,
  UnsupportedCall,
} from '#serve/grpc';
import type { GrpcAnswer } from './grpc-answer.ts';
import { readMessage } from './read-message.ts';

/** A method that is no method of the API: every server of gRPC has it. */
export type StandardMethod = {
  /** Whether a session is needed. */
  readonly isPublic: boolean;
  run(ctx: Ctx, call: StandardCall): Promise<void>;
};

type StandardCall = {
  readonly request: Readable;
  readonly answer: GrpcAnswer;
  /** The same as `/healthz`. */
  isServing(): boolean;
};

const maxRequestBytes = 64 * 1024;
const [serving, notServing, unknownService] = [1, 2, 3];
const notFound = 5;

const health: StandardMethod = {
  isPublic: true,
  run: async (ctx, { request, answer, isServing }) => {
    const bytes = await readMessage(ctx, request, maxRequestBytes);
    const { service = '' } = decodeMessage(standard.find('health.HealthCheckRequest'), bytes);
    const isKnown = service === '' || serviceNames.includes(String(service));
    const known = isServing() ? serving : notServing;
    const status = isKnown ? known : unknownService;
    await answer.message([encodeMessage(standard.find('health.HealthCheckResponse'), { status })]);
  },
};

/** What the API looks like, for tools that have no .proto files. It needs a session, as everything does that is not a login. */
const reflection: StandardMethod = {
  isPublic: false,
  run: async (_ctx, { request, answer }) => {
    const frames = new MessageFrames(maxRequestBytes);
    answer.begin();
    for await (const chunk of request as AsyncIterable<Buffer>)
      for (const bytes of frames.take(chunk)) {
        const requested = decodeMessage(standard.find('reflection.ServerReflectionRequest'), bytes);
        const found = { validHost: requested.host, originalRequest: requested, ...reflected(requested) };
        await answer.message([encodeMessage(standard.find('reflection.ServerReflectionResponse'), found)]);
      }
    frames.end();
  },
};

function reflected({
  listServices,
  fileByFilename,
  fileContainingSymbol,
}: Readonly<Record<string, unknown>>) {
  if (listServices !== undefined)
    return { listServicesResponse: { service: serviceNames.map((name) => ({ name })) } };
  const file =
    fileByFilename === undefined
      ? fileDeclaring(String(fileContainingSymbol ?? ''))
      : fileNamed(String(fileByFilename));
  if (file) return { fileDescriptorResponse: { fileDescriptorProto: [file.toString('base64')] } };
  return { errorResponse: { errorCode: notFound, errorMessage: 'there is no such file or symbol' } };
}

const unsupported: StandardMethod = {
  isPublic: true,
  run: async () => {
    throw new UnsupportedCall('the health of this server is checked, not watched');
  },
};

export const standardMethods: ReadonlyMap<string, StandardMethod> = new Map([
  ['grpc.health.v1.Health/Check', health],
  ['grpc.health.v1.Health/Watch', unsupported],
  ['grpc.reflection.v1.ServerReflection/ServerReflectionInfo', reflection],
  ['grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', reflection],
]);
