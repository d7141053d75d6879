import { decodeText } from '#base/model';
import { isObject, type JsonObject, parseJson } from '#base/std';

/** The object in a response; empty when it is no JSON, or JSON of another kind. */
export function jsonAnswer(body: Uint8Array | string): JsonObject {
  try {
    const value = parseJson(typeof body === 'string' ? body : decodeText(body));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
