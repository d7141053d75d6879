import { FairleadError, parseJson } from '#base/std';
import { applyJsonPatch, type JsonPatchOperation } from '#kubernetes/patch';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { internalError, StatusError, webhookDenied } from '../status.ts';
import { syntaxError } from '../write/go-json.ts';
import { CallError } from './call.ts';

/** A webhook's response to one request. */
export type WebhookAnswer = {
  readonly warnings: readonly string[];
  readonly patch: readonly JsonPatchOperation[];
};

/** An invalid response: the failure policy decides the result. */
class BadAnswer extends CallError {}

const bad = (why: string): BadAnswer => new BadAnswer(`received invalid webhook response: ${why}`);

/** Reads an AdmissionReview. Throws StatusError for a denial, CallError for an invalid response. */
export function readVerdict(
  text: string,
  uid: string,
  of: { name: string; mutates: boolean },
): WebhookAnswer {
  const { response } = reviewOf(text);
  if (!isObject(response)) throw bad('webhook response was absent');
  if (response.uid !== uid) {
    throw bad(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(String(response.uid ?? ''))}`,
    );
  }
  const patch = patchOf(response, of.mutates);
  if (response.allowed !== true) {
    throw webhookDenied(of.name, isObject(response.status) ? response.status : {}, warningsOf(response));
  }
  return { warnings: warningsOf(response), patch };
}

const warningsOf = ({ warnings }: JsonObject): string[] =>
  Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : [];

const versions = new Set(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']);

function reviewOf(text: string): JsonObject {
  const review = parsed(text, 'failed to call webhook: ');
  if (!isObject(review))
    throw new CallError("failed to call webhook: couldn't get version/kind; json parse error");
  const { apiVersion = '', kind = '' } = review;
  if (versions.has(String(apiVersion)) && kind === 'AdmissionReview') return review;
  throw new CallError(
    `failed to call webhook: no kind ${JSON.stringify(String(kind))} is registered for version ${JSON.stringify(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function parsed(text: string, start: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new CallError(`${start}${syntaxError(text) ?? FairleadError.from(error).message}`);
  }
}

function patchOf({ patch, patchType }: JsonObject, mutates: boolean): readonly JsonPatchOperation[] {
  if (patch === undefined || patch === null || patch === '') return [];
  if (!mutates) throw bad('validating webhook may not return response.patch');
  if (!patchType) throw bad('webhook returned response.patch but not response.patchType');
  const start = 'received undecodable patch in webhook response: ';
  const operations = parsed(Buffer.from(String(patch), 'base64').toString('utf8'), start);
  if (!Array.isArray(operations)) throw new CallError(`${start}not a list`);
  return operations as readonly JsonPatchOperation[];
}

/** The object with the patch applied; a patch that does not apply is an internal error. */
export function patched(object: JsonObject, patch: readonly JsonPatchOperation[]): JsonObject {
  try {
    const result = applyJsonPatch(object, patch);
    if (isObject(result)) return result;
    throw internalError('the patched object is no object');
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw internalError(FairleadError.from(error).message);
  }
}
