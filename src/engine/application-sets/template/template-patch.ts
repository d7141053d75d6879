import { type Application, type KubeObject, readApplication } from '#base/model';
import { FairleadError, isObject, parseJson } from '#base/std';
import { applyStrategicPatch } from '#kubernetes/patch';
import { findType, type JsonObject, type SchemaField, type StructType } from '#kubernetes/schema';
import { parse } from '#lang/yaml';

/**
 * compat sources AST-10: the application after its rendered templatePatch, a strategic merge patch: lists are replaced but
 * for finalizers and owner references, directives are obeyed, the project stays. An empty patch changes nothing.
 * Throws RenderFailed.
 */
export function applyTemplatePatch(app: Application, text: string): Application {
  const patch = readPatch(text);
  if (patch === null) return app;
  const patched = strategic(app, patch);
  const { project } = app.spec;
  const { project: _patched, ...spec } = patched.spec;
  return { ...patched, spec: project === undefined ? spec : { ...spec, project } };
}

function readPatch(text: string): JsonObject | null {
  let patch: unknown;
  try {
    patch = text.trimStart().startsWith('{') ? parseJson(text) : parse(text, { name: 'templatePatch' });
  } catch (thrown) {
    throw failed(thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
  if (patch === null || patch === undefined) return null;
  if (!isObject(patch)) throw failed('it must render to an object');
  requireReadable(patch, 'it');
  return patch;
}

function strategic(app: Application, patch: JsonObject): Application {
  let patched: JsonObject;
  try {
    patched = applyStrategicPatch(app as unknown as JsonObject, patch, applicationType());
  } catch (thrown) {
    throw failed(FairleadError.from(thrown).message, thrown);
  }
  requireReadable(patched, 'the application after it');
  return readApplication(patched as unknown as KubeObject);
}

function requireReadable(object: JsonObject, what: string): void {
  const { unreadable = [] } = readApplication(object as unknown as KubeObject);
  const problems = [...unreadable, ...metadataProblems(object.metadata)];
  if (problems.length > 0) throw failed(`${what} is no Application: ${problems.join('; ')}`);
}

function metadataProblems(metadata: unknown): string[] {
  if (metadata === undefined || metadata === null) return [];
  if (!isObject(metadata)) return ['metadata must be an object'];
  return ['labels', 'annotations'].flatMap((name) => {
    const map = metadata[name] ?? {};
    if (!isObject(map)) return [`metadata.${name} must be an object`];
    return Object.entries(map).flatMap(([key, value]) =>
      typeof value === 'string' || value === null || key.startsWith('$')
        ? []
        : [`metadata.${name}.${key} must be text, not ${typeof value}; put it in quotes`],
    );
  });
}

const failed = (why: string, cause?: unknown): FairleadError =>
  new FairleadError('RenderFailed', `templatePatch cannot be applied: ${why}`, cause);

let known: StructType | undefined;

/** Metadata merges as that of any object; a spec has no merge keys. */
function applicationType(): StructType {
  if (known) return known;
  const config = findType({ group: '', version: 'v1', kind: 'ConfigMap' });
  const metadata = config?.kind === 'struct' ? config.fields.get('metadata') : undefined;
  const fields = new Map<string, SchemaField>(metadata ? [['metadata', metadata]] : []);
  known = { kind: 'struct', name: 'Application', fields, atomic: false, open: true };
  return known;
}
