import { printJson } from '#base/std';
import type { ServedResponse } from '../request.ts';
import { version } from '../version.ts';

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * compat cluster 2.2: enough of the v2 document that clients use v3; its media type has a dot where Accept has an
 * at sign.
 */
export function versionTwo(accept: string): ServedResponse {
  const wantsProtobuf = accept.includes('protobuf');
  return {
    status: 200,
    headers: { 'content-type': wantsProtobuf ? protobuf : 'application/json', vary: 'Accept' },
    body: wantsProtobuf
      ? stub()
      : printJson({ swagger: '2.0', info: { title: 'Kubernetes', version }, paths: {}, definitions: {} }),
  };
}

/** Document{swagger = 1, info = 2 {title = 1, version = 2}, paths = 8, definitions = 9} */
function stub(): Uint8Array {
  const text = (field: number, value: string) => [field * 8 + 2, value.length, ...Buffer.from(value)];
  const info = [...text(1, 'Kubernetes'), ...text(2, version)];
  const empty = (field: number) => [field * 8 + 2, 0];
  return Uint8Array.from([...text(1, '2.0'), 2 * 8 + 2, info.length, ...info, ...empty(8), ...empty(9)]);
}
