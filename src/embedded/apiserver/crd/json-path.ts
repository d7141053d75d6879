/** The part of Kubernetes' JSONPath that printer columns and field paths use: fields, indexes, `[*]`, one filter. */
type Step =
  | { readonly do: 'field'; readonly name: string }
  | { readonly do: 'index'; readonly at: number }
  | { readonly do: 'all' }
  | {
      readonly do: 'filter';
      readonly path: readonly string[];
      readonly equals: boolean;
      readonly value: unknown;
    };

const token =
  /\.?([A-Za-z_$@/-][\w$@/\ue000-]*)|\[(-?\d+)\]|\[(?:\*|:)\]|\.\*|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[\?\(\s*@\.([\w.-]+)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\)\]/gy;

/** Replaces an escaped dot, which is part of a name. */
const dot = '\ue000';

/** Compiles a path such as `.status.conditions[?(@.type=="Ready")].status`; undefined when it is not supported. */
export function compileJsonPath(path: string): ((root: unknown) => unknown[]) | undefined {
  const text = path
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(/^\$/, '')
    .replaceAll('\\.', dot);
  const steps: Step[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (!found) return undefined;
    steps.push(stepOf(found));
  }
  return (root) =>
    steps.reduce<unknown[]>((values, step) => values.flatMap((value) => take(value, step)), [root]);
}

function stepOf(found: RegExpExecArray): Step {
  const [all, field, index, single, double, path, operator, text1, text2, bare] = found;
  const name = field ?? single ?? double;
  if (name !== undefined) return { do: 'field', name: name.replaceAll(dot, '.').replaceAll(/\\(.)/g, '$1') };
  if (index !== undefined) return { do: 'index', at: Number(index) };
  if (path !== undefined) {
    const value = text1 ?? text2 ?? literal(bare ?? '');
    return { do: 'filter', path: path.split('.'), equals: operator === '==', value };
  }
  return all === '' ? { do: 'field', name: '' } : { do: 'all' };
}

function literal(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function take(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step.do === 'field' || step.do === 'index') return present(member(value, step));
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return step.do === 'all' ? items : items.filter((item) => matches(item, step));
}

const present = (found: unknown): unknown[] => (found === undefined ? [] : [found]);

function member(value: object, step: Extract<Step, { do: 'field' | 'index' }>): unknown {
  if (step.do === 'index') return Array.isArray(value) ? value.at(step.at) : undefined;
  return Object.hasOwn(value, step.name) ? (value as Record<string, unknown>)[step.name] : undefined;
}

function matches(item: unknown, { path, equals, value }: Extract<Step, { do: 'filter' }>): boolean {
  let found = item;
  for (const name of path) found = (found as Record<string, unknown> | undefined | null)?.[name];
  return (found === value) === equals;
}
