import { FairleadError } from '#base/std';
import { decodeBase64Text } from './base64.ts';
import { type KubeObject, type SecretFields, viewOf } from './kube-object.ts';

/** The decoded text of a Secret. compat: as on the API server, stringData wins over data. Throws InvalidSpec. */
export function secretText(secret: KubeObject): Readonly<Record<string, string>> {
  const { data, stringData } = viewOf<SecretFields>(secret);
  const decoded = Object.entries(data ?? {}).map(
    ([key, value]) => [key, decoded64(secret, key, value)] as const,
  );
  return { ...Object.fromEntries(decoded), ...stringData };
}

function decoded64({ metadata }: KubeObject, key: string, value: string): string {
  try {
    return decodeBase64Text(value ?? '');
  } catch (error) {
    throw new FairleadError('InvalidSpec', `secret ${metadata.name}: data["${key}"] is not base64`, error);
  }
}

/** 32-bit FNV-1a of UTF-8 text: the number Argo CD puts into the names of the Secrets it creates. */
export function fnv32a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** As secretText; what cannot be read is added to `problems` and leaves nothing. */
export function readableText(secret: KubeObject, problems: string[]): Readonly<Record<string, string>> {
  try {
    return secretText(secret);
  } catch (error) {
    problems.push(FairleadError.from(error).message);
    return {};
  }
}
