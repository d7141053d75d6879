import type { JqNode } from './syntax.ts';
import { isMap, type JsonMap, type JsonValue, put } from './value.ts';

type Step = { readonly is: 'field'; readonly key: string } | { readonly is: 'each' };

/**
 * The fast path for `del(.a.b[].c)`, the form of most expressions: one walk that copies only what lies on the
 * path. The function returns undefined where the input does not match the path; the general evaluation then
 * decides.
 */
export function plainDelete(node: JqNode): ((input: JsonValue) => JsonValue | undefined) | undefined {
  if (node.is !== 'call' || node.name !== 'del' || node.args.length !== 1) return undefined;
  const [path] = node.args;
  const steps = path && stepsOf(path);
  if (!steps || steps.length === 0) return undefined;
  return (input) => without(input, steps, 0);
}

function stepsOf(node: JqNode): Step[] | undefined {
  if (node.is === 'identity') return [];
  if (node.is === 'pipe') return joined(stepsOf(node.left), stepsOf(node.right));
  if (node.is === 'iterate') return joined(stepsOf(node.of), [{ is: 'each' }]);
  if (node.is !== 'index' || node.key.is !== 'literal' || typeof node.key.value !== 'string')
    return undefined;
  return joined(stepsOf(node.of), [{ is: 'field', key: node.key.value }]);
}

const joined = (left: Step[] | undefined, right: Step[] | undefined): Step[] | undefined =>
  left && right && [...left, ...right];

function without(value: JsonValue, steps: readonly Step[], index: number): JsonValue | undefined {
  const step = steps[index];
  if (step?.is === 'each') return withoutEach(value, steps, index);
  return step && withoutField(value, step.key, steps, index);
}

function withoutField(
  value: JsonValue,
  key: string,
  steps: readonly Step[],
  index: number,
): JsonValue | undefined {
  if (!isMap(value)) return undefined;
  const isLast = index === steps.length - 1;
  if (!Object.hasOwn(value, key)) return isLast || onlyFields(steps, index) ? value : undefined;
  if (isLast) return copyWithout(value, key);
  const before = value[key] ?? null;
  const after = without(before, steps, index + 1);
  if (after === undefined || after === before) return after && value;
  const copy = { ...value };
  put(copy, key, after);
  return copy;
}

/** Below a missing field there is nothing to delete, but there is also nothing to iterate over. */
const onlyFields = (steps: readonly Step[], from: number): boolean =>
  steps.slice(from).every(({ is }) => is === 'field');

function copyWithout(map: JsonMap, key: string): JsonMap {
  const copy: JsonMap = {};
  for (const name of Object.keys(map)) {
    if (name !== key) put(copy, name, map[name] ?? null);
  }
  return copy;
}

function withoutEach(value: JsonValue, steps: readonly Step[], index: number): JsonValue | undefined {
  if (!Array.isArray(value)) return undefined;
  if (index === steps.length - 1) return [];
  const copy: JsonValue[] = [];
  let changed = false;
  for (const item of value) {
    const after = without(item, steps, index + 1);
    if (after === undefined) return undefined;
    changed ||= after !== item;
    copy.push(after);
  }
  return changed ? copy : value;
}
