import type { Application, Source } from '#base/model';
import { isObject } from '#base/std';
import { parse, print } from '#lang/yaml';
import type { AppDetails } from '#serve/api';

type NameValue = { readonly name: string; readonly value: string };

/** One thing that can be set in a source: its value, and the one that it has without. */
export type ParameterLine = {
  readonly name: string;
  readonly value: string;
  /** The value in the chart or the kustomization; absent: it has none. */
  readonly offered?: string;
  /** The application sets it. */
  readonly isSet: boolean;
};

/** Things of one kind, each with a name. `change` returns the source with one of them set, or no longer set. */
export type ParameterGroup = {
  readonly title: string;
  readonly note: string;
  readonly lines: readonly ParameterLine[];
  change(name: string, value: string | undefined): Source;
};

/** One text of a source; an empty one is not set. */
export type ParameterText = {
  readonly label: string;
  readonly note: string;
  readonly value: string;
  readonly form: 'line' | 'lines' | 'yaml';
  change(value: string): Source;
};

export type SettableParameters = {
  readonly texts: readonly ParameterText[];
  readonly tables: readonly ParameterGroup[];
};

/** The sources of an application that can be edited: those that it declares itself, each with its number. */
export const editableSources = ({ spec }: Application): readonly Source[] =>
  spec.sources ?? (spec.source ? [spec.source] : []);

export function withSource(app: Application, at: number, source: Source): Application {
  const { sources } = app.spec;
  const spec = sources
    ? { ...app.spec, sources: sources.map((one, i) => (i === at ? source : one)) }
    : { ...app.spec, source };
  return { ...app, spec };
}

/** The source as its repository has it: without what the application sets, so that its own values can be shown. */
export function withoutOverrides(source: Source): Source {
  if (!source.kustomize) return source;
  const { images: _images, replicas: _replicas, ...kustomize } = source.kustomize;
  return withBlock(source, 'kustomize', kustomize);
}

/** Everything that can be set in a source of this type. */
export function parametersOf(source: Source, details: AppDetails | undefined): SettableParameters {
  const type = details?.type ?? typeOf(source);
  if (type === 'Helm') return helmParameters(source, details);
  if (type === 'Kustomize') return kustomizeParameters(source, details);
  if (type === 'Plugin') return { texts: [], tables: [pluginTable(source)] };
  return directoryParameters(source);
}

function typeOf({ helm, kustomize, plugin, chart }: Source): AppDetails['type'] {
  if (helm || chart) return 'Helm';
  if (kustomize) return 'Kustomize';
  return plugin ? 'Plugin' : 'Directory';
}

type BlockName = 'helm' | 'kustomize' | 'directory' | 'plugin';

/** The source with a block of options without its empty fields; an empty block is left out. */
function withBlock<K extends BlockName>(source: Source, name: K, block: NonNullable<Source[K]>): Source {
  const filled = Object.fromEntries(Object.entries(block).filter(([, value]) => !isEmpty(value)));
  const { [name]: _, ...rest } = source;
  return (Object.keys(filled).length > 0 ? { ...rest, [name]: filled } : rest) as Source;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function helmParameters(source: Source, details: AppDetails | undefined): SettableParameters {
  const { helm = {} } = source;
  const files = details?.helm?.valueFiles ?? [];
  const text = helm.valuesObject ? print(helm.valuesObject) : (helm.values ?? '');
  return {
    texts: [
      {
        label: 'Release name',
        note: 'Left out: the name of the application',
        form: 'line',
        value: helm.releaseName ?? '',
        change: (releaseName) => withBlock(source, 'helm', { ...helm, releaseName: releaseName.trim() }),
      },
      {
        label: 'Values files',
        note: files.length > 0 ? `One a line; the chart has ${files.join(', ')}` : 'One a line',
        form: 'lines',
        value: (helm.valueFiles ?? []).join('\n'),
        change: (value) => withBlock(source, 'helm', { ...helm, valueFiles: linesIn(value) }),
      },
      {
        label: 'Values',
        note: 'YAML; wins over the files',
        form: 'yaml',
        value: text,
        change: (value) => withValues(source, value),
      },
    ],
    tables: [
      {
        title: 'Parameters',
        note: 'A parameter wins over the values and the files.',
        lines: merged(details?.helm?.parameters ?? [], namedValues(helm.parameters)),
        change: (name, value) =>
          withBlock(source, 'helm', { ...helm, parameters: replaced(helm.parameters, name, value) }),
      },
    ],
  };
}

/** Stays an object where it was one, as long as the text is one. */
function withValues(source: Source, text: string): Source {
  const { values: _values, valuesObject: before, ...rest } = source.helm ?? {};
  if (text.trim() === '') return withBlock(source, 'helm', rest);
  const parsed = before && parsedYaml(text);
  return withBlock(source, 'helm', {
    ...rest,
    ...(isObject(parsed) ? { valuesObject: parsed } : { values: text }),
  });
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined; // `parameterProblem` reports it
  }
}

function kustomizeParameters(source: Source, details: AppDetails | undefined): SettableParameters {
  const { kustomize = {} } = source;
  const text = (field: 'namePrefix' | 'nameSuffix' | 'namespace', label: string): ParameterText => ({
    label,
    note: '',
    form: 'line',
    value: kustomize[field] ?? '',
    change: (value) => withBlock(source, 'kustomize', { ...kustomize, [field]: value.trim() }),
  });
  const offered = (details?.kustomize?.images ?? []).map((value) => ({ name: imageName(value), value }));
  const images = (kustomize.images ?? []).map((one) => ({ name: imageName(one), value: imageIn(one) }));
  const replicas = (kustomize.replicas ?? []).map(({ name, count }) => ({ name, value: String(count) }));
  return {
    texts: [
      text('namePrefix', 'Name prefix'),
      text('nameSuffix', 'Name suffix'),
      text('namespace', 'Namespace'),
    ],
    tables: [
      {
        title: 'Images',
        note: 'An image with another name, tag or digest.',
        lines: merged(offered, images),
        change: (name, value) =>
          withBlock(source, 'kustomize', {
            ...kustomize,
            images: replaced(images, name, value).map(({ name: old, value: image }) => override(old, image)),
          }),
      },
      {
        title: 'Replicas',
        note: 'By the name of a Deployment or a StatefulSet.',
        lines: merged([], replicas),
        change: (name, value) =>
          withBlock(source, 'kustomize', {
            ...kustomize,
            replicas: replaced(replicas, name, value).map((one) => ({
              name: one.name,
              count: /^\d+$/.test(one.value) ? Number(one.value) : one.value,
            })),
          }),
      },
    ],
  };
}

/** The name of an image, without tag and digest; of an override `old=new:tag`, the old one. */
export function imageName(image: string): string {
  const [old = '', fresh] = image.split('=', 2);
  if (fresh !== undefined) return old;
  const [named = ''] = image.split('@', 1);
  const colon = named.lastIndexOf(':');
  return colon > named.lastIndexOf('/') ? named.slice(0, colon) : named;
}

const imageIn = (one: string): string => one.slice(one.indexOf('=') + 1);
const override = (name: string, image: string): string =>
  imageName(image) === name ? image : `${name}=${image}`;

function directoryParameters(source: Source): SettableParameters {
  const { directory = {} } = source;
  const { jsonnet = {} } = directory;
  const table = (field: 'extVars' | 'tlas', title: string, note: string): ParameterGroup => ({
    title,
    note,
    lines: merged([], jsonnet[field] ?? []),
    change: (name, value) => {
      const next = { ...jsonnet, [field]: replaced(jsonnet[field], name, value) };
      const filled = Object.fromEntries(Object.entries(next).filter(([, list]) => !isEmpty(list)));
      const rest = Object.keys(filled).length > 0 ? { jsonnet: filled } : { jsonnet: undefined };
      return withBlock(source, 'directory', { ...directory, ...rest } as typeof directory);
    },
  });
  return {
    texts: [],
    tables: [
      table('extVars', 'Jsonnet variables', 'Read with std.extVar.'),
      table('tlas', 'Jsonnet arguments', 'Of a file that is a function.'),
    ],
  };
}

function pluginTable(source: Source): ParameterGroup {
  const { plugin = {} } = source;
  return {
    title: 'Variables of the plugin',
    note: 'The plugin reads each with ARGOCD_ENV_ in front.',
    lines: merged([], plugin.env ?? []),
    change: (name, value) =>
      withBlock(source, 'plugin', { ...plugin, env: replaced(plugin.env, name, value) }),
  };
}

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const namedValues = (list: readonly { name?: string; value?: string }[] = []): NameValue[] =>
  list.map(({ name = '', value = '' }) => ({ name, value }));

/** What is offered, in its order, with what is set; then what is set and not offered. */
function merged(offered: readonly NameValue[], set: readonly NameValue[]): ParameterLine[] {
  const values = new Map(set.map(({ name, value }) => [name, value]));
  const known = new Set(offered.map(({ name }) => name));
  return [
    ...offered.map(({ name, value }) => ({
      name,
      value: values.get(name) ?? value,
      offered: value,
      isSet: values.has(name),
    })),
    ...set.filter(({ name }) => !known.has(name)).map(({ name, value }) => ({ name, value, isSet: true })),
  ];
}

/** The list with one entry set or removed; what else an entry has stays. */
function replaced<T extends { name?: string; value?: string }>(
  list: readonly T[] | undefined,
  name: string,
  value: string | undefined,
): T[] {
  const before = list ?? [];
  if (value === undefined) return before.filter((one) => one.name !== name);
  if (!before.some((one) => one.name === name)) return [...before, { name, value } as T];
  return before.map((one) => (one.name === name ? { ...one, value } : one));
}

/** Why the source cannot be sent yet; undefined: the server may judge it. */
export function parameterProblem({ helm, kustomize }: Source): string | undefined {
  const wrong = kustomize?.replicas?.find(({ count }) => typeof count !== 'number');
  if (wrong) return `Replicas of ${wrong.name}: want a whole number.`;
  if (!helm?.values) return undefined;
  try {
    const values = parse(helm.values);
    return values === null || isObject(values) ? undefined : 'Values: want fields with values.';
  } catch (thrown) {
    return `Values: ${(thrown as Error).message}`;
  }
}
