import { Budget, isObject } from '#base/std';
import { compileTemplate, goValue, sprigFunctions, type Template } from '#lang/go-template';
import type { NotificationMessage } from './message.ts';

/** A compiled block of a template: every string in it is a Go template. */
type Compiled = string | number | boolean | null | Template | readonly Compiled[] | CompiledMap;
type CompiledMap = ReadonlyMap<string, Compiled>;

/** A template of the configuration; made by compileMessage. */
export type MessageTemplate = { readonly name: string; readonly blocks: CompiledMap };

/** The steps and bytes that one message may cost. */
const limits = { steps: 200_000, bytes: 4_000_000 };

/** Throws InvalidSpec with Go's message for a text that cannot be parsed. */
export function compileMessage(name: string, fields: Readonly<Record<string, unknown>>): MessageTemplate {
  const whole = Object.entries(fields).map(([type, block]) => [type, withDefaults(type, block)]);
  return { name, blocks: compileMap(name, Object.fromEntries(whole)) };
}

const revision = '{{with .app.status.operationState}}{{with .syncResult}}{{.revision}}{{end}}{{end}}';
const repository =
  '{{if .app.spec.sources}}{{(index .app.spec.sources 0).repoURL}}{{else}}{{.app.spec.source.repoURL}}{{end}}';

/** compat server §6.6: what a block says where its author left it out. */
const defaults: Readonly<Record<string, object>> = {
  github: { repoURLPath: repository, revisionPath: revision },
  gitlab: { repoURLPath: repository, revisionPath: revision },
  newrelic: { revision },
};

const withDefaults = (type: string, block: unknown): unknown =>
  isObject(block) && Object.hasOwn(defaults, type) ? { ...defaults[type], ...block } : block;

const compileMap = (name: string, fields: object): CompiledMap =>
  new Map(Object.entries(fields).map(([key, field]) => [key, compile(`${name}.${key}`, field)]));

function compile(name: string, field: unknown): Compiled {
  if (typeof field === 'string') {
    return field.includes('{{') ? compileTemplate(name, field, { functions: sprigFunctions }) : field;
  }
  if (Array.isArray(field)) return field.map((item, at) => compile(`${name}[${at}]`, item));
  if (isObject(field)) return compileMap(name, field);
  return typeof field === 'number' || typeof field === 'boolean'
    ? field
    : field === null
      ? null
      : String(field);
}

/** Which block of a template a service reads: that of its type; of a webhook the entry with its name. */
export type BlockChoice = { readonly type: string; readonly service: string };

/**
 * compat server §6.3: renders several templates into one message; where two say the same field, the later one wins. Throws
 * RenderFailed with Go's message, LimitExceeded when they cost too much together.
 */
export function renderMessage(
  templates: readonly MessageTemplate[],
  choice: BlockChoice,
  data: Readonly<Record<string, unknown>>,
): NotificationMessage {
  const value = goValue(data);
  const budget = new Budget(`template ${templates.map(({ name }) => name).join(', ')}`, limits);
  let message = '';
  let part: unknown;
  for (const { blocks } of templates) {
    const text = rendered(blocks.get('message') ?? '', value, budget);
    if (typeof text === 'string' && text !== '') message = text;
    const block = blockOf(blocks, choice);
    if (block !== undefined) part = merged(part, rendered(block, value, budget));
  }
  return { message, part };
}

/** Whether a template says something for a webhook of that name (compat server §6.6). */
export const hasBlock = ({ blocks }: MessageTemplate, choice: BlockChoice): boolean =>
  blockOf(blocks, choice) !== undefined;

function blockOf(blocks: CompiledMap, { type, service }: BlockChoice): Compiled | undefined {
  const block = blocks.get(type);
  if (type !== 'webhook') return block;
  return block instanceof Map ? block.get(service) : undefined;
}

function rendered(block: Compiled, data: unknown, budget: Budget): unknown {
  if (typeof block !== 'object' || block === null) return block;
  if (block instanceof Map)
    return Object.fromEntries([...block].map(([key, field]) => [key, rendered(field, data, budget)]));
  if (Array.isArray(block)) return block.map((item) => rendered(item, data, budget));
  return (block as Template).execute(data, { budget });
}

function merged(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after === '' && before !== undefined ? before : after;
  const all = Object.entries(after).map(([key, field]) => [key, merged(before[key], field)]);
  return { ...before, ...Object.fromEntries(all) };
}
