/** Variables a source may use in its own parameters (sources 1.13). */
export type BuildEnv = Readonly<Record<string, string>>;

export type BuildFacts = {
  /** The instance name: `<namespace>_<name>` for an application outside the control plane's namespace. */
  readonly app: string;
  readonly destinationNamespace: string;
  readonly project: string;
  readonly revision: string;
  readonly source: { readonly repoURL: string; readonly path?: string; readonly targetRevision?: string };
};

export function buildEnv({ app, destinationNamespace, project, revision, source }: BuildFacts): BuildEnv {
  return {
    ARGOCD_APP_NAME: app,
    ARGOCD_APP_NAMESPACE: destinationNamespace,
    ARGOCD_APP_PROJECT_NAME: project,
    ARGOCD_APP_REVISION: revision,
    ARGOCD_APP_REVISION_SHORT: revision.slice(0, 7),
    ARGOCD_APP_REVISION_SHORT_8: revision.slice(0, 8),
    ARGOCD_APP_SOURCE_REPO_URL: source.repoURL,
    ARGOCD_APP_SOURCE_PATH: source.path ?? '',
    ARGOCD_APP_SOURCE_TARGET_REVISION: source.targetRevision ?? '',
  };
}

const isNameStart = (char: string): boolean => /[A-Za-z_]/.test(char);
const isName = (char: string): boolean => /[A-Za-z0-9_]/.test(char);
/** Names of one character in a shell: `$*`, `$#`, `$1` … */
const isSpecial = (char: string): boolean => /[*#$@!?\-0-9]/.test(char);

/** Replaces variables as Go's os.Expand does (sources ENV-1). Undefined names are collected. */
export function expandEnv(text: string, env: BuildEnv, unknown: Set<string> = new Set()): string {
  if (!text.includes('$')) return text;
  let out = '';
  for (let at = 0; at < text.length; ) {
    const dollar = text.indexOf('$', at);
    if (dollar < 0 || dollar === text.length - 1) return out + text.slice(at);
    out += text.slice(at, dollar);
    const { name, width } = nameAt(text, dollar + 1);
    if (name !== '') out += lookUp(name, env, unknown);
    else if (width === 0) out += '$'; // compat: a `$` before a character that cannot begin a name stays
    at = dollar + 1 + width;
  }
  return out;
}

function lookUp(name: string, env: BuildEnv, unknown: Set<string>): string {
  if (name === '$') return '$'; // compat: Argo CD writes `$$` for a dollar sign
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) unknown.add(name);
  return value ?? '';
}

/** The name after a `$` and its length. A broken `${` is dropped with no name. */
function nameAt(text: string, at: number): { name: string; width: number } {
  const char = text[at] ?? '';
  if (char === '{') return bracedAt(text, at);
  if (isSpecial(char)) return { name: char, width: 1 };
  let end = at;
  if (isNameStart(char)) while (end < text.length && isName(text[end] ?? '')) end += 1;
  return { name: text.slice(at, end), width: end - at };
}

function bracedAt(text: string, at: number): { name: string; width: number } {
  const second = text[at + 1] ?? '';
  if (isSpecial(second) && text[at + 2] === '}') return { name: second, width: 3 };
  const close = text.indexOf('}', at);
  if (close < 0) return { name: '', width: 1 }; // compat: the `${` is dropped
  if (close === at + 1) return { name: '', width: 2 }; // compat: `${}` is dropped
  return { name: text.slice(at + 1, close), width: close - at + 1 };
}
