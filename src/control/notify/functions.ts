import { isObject } from '#base/std';
import { ExprDuration, ExprFunction, ExprTime } from '#lang/expr';
import { fn, GoError, goDuration, goTime, goValue, parseTime, utcMoment } from '#lang/go-template';

/** What `repo.GetCommitMetadata` returns. */
export type CommitFacts = {
  readonly message: string;
  readonly author: string;
  readonly date: Date;
  readonly tags: readonly string[];
};

/** What functions read beside their arguments. */
export type FunctionFacts = {
  readonly app: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Undefined: not known yet. The caller fetches it and evaluates again. */
  commit(revision: string): CommitFacts | undefined;
};

const rfc3339 = '2006-01-02T15:04:05Z07:00';
const million = 1_000_000n;

const units: Readonly<Record<string, bigint>> = {
  Nanosecond: 1n,
  Microsecond: 1_000n,
  Millisecond: 1_000_000n,
  Second: 1_000_000_000n,
  Minute: 60_000_000_000n,
  Hour: 3_600_000_000_000n,
};

const layouts = {
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: rfc3339,
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  Kitchen: '3:04PM',
  Stamp: 'Jan _2 15:04:05',
  StampMilli: 'Jan _2 15:04:05.000',
  StampMicro: 'Jan _2 15:04:05.000000',
  StampNano: 'Jan _2 15:04:05.000000000',
};

const mapped = <T>(of: (nanoseconds: bigint) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(units).map(([name, size]) => [name, of(size)]));

const exprUnits = mapped((size) => new ExprDuration(size));
const goUnits = mapped(goDuration);
const nowOf = ({ now }: FunctionFacts) => utcMoment(BigInt(Math.trunc(now())) * million);
const dateOf = (date: Date) => utcMoment(BigInt(date.getTime()) * million);

/** compat server §6.2: what conditions call. */
export function exprFunctions(facts: FunctionFacts): Record<string, unknown> {
  const texts =
    (call: (...args: string[]) => string): ExprFunction['call'] =>
    (...args) =>
      call(...args.map(textArgument));
  const one = (call: ExprFunction['call']): ExprFunction => new ExprFunction(call);
  return {
    time: {
      Now: one(() => new ExprTime(nowOf(facts))),
      Parse: one((text) => new ExprTime(parseTime(rfc3339, textArgument(text)))),
      ...exprUnits,
      ...layouts,
    },
    strings: {
      ReplaceAll: one(texts((text, old, by) => replaceAll(text, old, by))),
      ToUpper: one(texts((text) => (text ?? '').toUpperCase())),
      ToLower: one(texts((text) => (text ?? '').toLowerCase())),
    },
    repo: {
      RepoURLToHTTPS: one(texts((url) => httpsUrl(url ?? ''))),
      FullNameByRepoURL: one(texts((url) => fullName(url ?? ''))),
      QueryEscape: one(texts((text) => queryEscape(text ?? ''))),
      GetCommitMetadata: one((revision) => {
        const { message, author, date, tags } = commitOf(facts, textArgument(revision));
        const at = new ExprTime(dateOf(date));
        return { Message: message, Author: author, Date: at, Tags: [...tags] };
      }),
      GetAppDetails: one(() => {
        const { helm, ...details } = appDetails(facts.app);
        const Helm = helm && {
          ...helm,
          GetParameterValueByName: one((name) => parameterOf(helm.Parameters, textArgument(name))),
          GetFileParameterPathByName: one((name) => fileOf(helm.FileParameters, textArgument(name))),
        };
        return { ...details, ...(Helm && { Helm }) };
      }),
    },
    sync: {
      GetInfoItem: one((app, name) => infoItem(app, textArgument(name))),
    },
  };
}

/** The same for templates, which call them as `call .repo.GetCommitMetadata …`. */
export function templateFunctions(facts: FunctionFacts): Record<string, unknown> {
  return {
    time: {
      Now: fn('', () => goTime(nowOf(facts))),
      Parse: fn('string', (_run, text) => goTime(parseTime(rfc3339, text))),
      ...goUnits,
      ...layouts,
    },
    strings: {
      ReplaceAll: fn('string string string', (_run, text, old, by) => replaceAll(text, old, by)),
      ToUpper: fn('string', (_run, text) => text.toUpperCase()),
      ToLower: fn('string', (_run, text) => text.toLowerCase()),
    },
    repo: {
      RepoURLToHTTPS: fn('string', (_run, url) => httpsUrl(url)),
      FullNameByRepoURL: fn('string', (_run, url) => fullName(url)),
      QueryEscape: fn('string', (_run, text) => queryEscape(text)),
      GetCommitMetadata: fn('string', (_run, revision) => {
        const { message, author, date, tags } = commitOf(facts, revision);
        return goValue({ Message: message, Author: author, Date: goTime(dateOf(date)), Tags: tags });
      }),
      GetAppDetails: fn('', () => {
        const { helm, ...details } = appDetails(facts.app);
        const Helm = helm && {
          ...helm,
          GetParameterValueByName: fn('string', (_run, name) => parameterOf(helm.Parameters, name)),
          GetFileParameterPathByName: fn('string', (_run, name) => fileOf(helm.FileParameters, name)),
        };
        return goValue({ ...details, ...(Helm && { Helm }) });
      }),
    },
    sync: {
      GetInfoItem: fn('any string', (_run, _app, name) => infoItem(facts.app, name)),
    },
  };
}

function textArgument(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GoError('the argument is not a string');
}

function replaceAll(text = '', old = '', by = ''): string {
  if (text.length * Math.max(1, by.length) > 1_000_000) throw new GoError('the text is too long');
  return text.replaceAll(old, () => by);
}

function commitOf({ commit }: FunctionFacts, revision: string): CommitFacts {
  const found = commit(revision);
  if (found) return found;
  throw new GoError(`the commit ${revision.slice(0, 64)} is not known`);
}

type Address = { readonly host: string; readonly path: string };

/** URLs, and `user@host:path` as ssh writes it. */
function addressOf(url: string): Address {
  const [, scpHost, scpPath] = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  if (scpHost !== undefined) return { host: scpHost, path: `/${scpPath}`.replace(/^\/+/, '/') };
  try {
    const { host, pathname } = new URL(url);
    return { host, path: pathname };
  } catch {
    throw new GoError('not the URL of a repository');
  }
}

function httpsUrl(url: string): string {
  const { host, path } = addressOf(url);
  return `https://${host}${path}`;
}

function fullName(url: string): string {
  const path = addressOf(url).path.replace(/\.git$/, '');
  const parts = path.split('/').filter(Boolean);
  return parts.length >= 2 ? parts.slice(0, 2).join('/') : path;
}

/** As Go's url.QueryEscape. */
const queryEscape = (text: string): string =>
  encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '\ufffd'))
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

type HelmDetails = {
  readonly Name: string;
  readonly ValueFiles: readonly string[];
  readonly Values: string;
  readonly Parameters: readonly unknown[];
  readonly FileParameters: readonly unknown[];
};

/** dev server §6.2: what the Application itself says of its source; the peer adds the values of the chart. */
function appDetails(
  app: Readonly<Record<string, unknown>>,
): Record<string, unknown> & { helm?: HelmDetails } {
  const spec = mapOf(app.spec);
  const sources = Array.isArray(spec.sources) && spec.sources.length > 0 ? spec.sources : [spec.source];
  const source = mapOf(sources[0]);
  const status = mapOf(app.status);
  const types = Array.isArray(status.sourceTypes) ? status.sourceTypes : [];
  const Type = String(status.sourceType ?? types[0] ?? '');
  if (Type === 'Kustomize') return { Type, Kustomize: { Images: mapOf(source.kustomize).images ?? [] } };
  if (Type !== 'Helm') return { Type, Directory: {} };
  const helm = mapOf(source.helm);
  const listOf = (name: string): unknown[] => (Array.isArray(helm[name]) ? (helm[name] as unknown[]) : []);
  const pairs = (name: string, value: string): unknown[] =>
    listOf(name).map((one) => ({
      Name: mapOf(one).name ?? '',
      [value]: mapOf(one)[value.toLowerCase()] ?? '',
    }));
  return {
    Type,
    helm: {
      Name: String(helm.releaseName ?? mapOf(app.metadata).name ?? ''),
      ValueFiles: listOf('valueFiles').map(String),
      Values: String(helm.values ?? ''),
      Parameters: pairs('parameters', 'Value'),
      FileParameters: pairs('fileParameters', 'Path'),
    },
  };
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

const named = (list: readonly unknown[], name: string, field: string): string =>
  String(mapOf(list.find((one) => mapOf(one).Name === name))[field] ?? '');
const parameterOf = (list: readonly unknown[], name: string): string => named(list, name, 'Value');
const fileOf = (list: readonly unknown[], name: string): string => named(list, name, 'Path');

/** The value of an item of `info` of the operation that runs, or that ran last. */
function infoItem(app: unknown, name: string): string {
  const { operation, status } = mapOf(app);
  const last = mapOf(mapOf(mapOf(status).operationState).operation);
  const { info } = isObject(operation) ? operation : last;
  const items = Array.isArray(info) ? info : [];
  return String(mapOf(items.find((item) => mapOf(item).name === name)).value ?? '');
}
