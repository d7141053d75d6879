import { type Application, type AppProject, projectName, type Settings } from '#base/model';
import type { Ctx } from '#base/std';
import { type Action, Enforcer, type RbacConfig, type RbacProblem, readRbacConfig } from '#engine';
import { ChangeSignal } from '../change-signal.ts';

const mapName = 'argocd-rbac-cm';
/** Decisions kept for one subject; a list of ten thousand applications fits. */
const mostDecisions = 20_000;
/** Callers name objects as they like; a longer name is decided each time. */
const longestKey = 400;

/** No ConfigMap, or one without data. */
const none: Data = {};

type Data = Readonly<Record<string, string>>;
type Changes<T> = (ctx: Ctx) => AsyncIterable<T>;

/** A subject of the policy, from a verified token. An object stands for one token: decisions are cached by it. */
export type RbacSubject = {
  /** `''` for a request without a session, where anonymous access is enabled. */
  readonly user: string;
  /** The claims of an identity provider's token; those named by `scopes` have its groups. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** An account of ours, as opposed to one of an identity provider. */
  readonly isLocal: boolean;
};

export type LivePolicyDeps = {
  readonly namespace: string;
  readonly settings: {
    readonly current: Pick<Settings, 'server'>;
    dataOf(name: string): Data;
    readonly changes: Changes<unknown>;
    readonly dataChanges: Changes<{ readonly name: string }>;
    whenSynced(ctx: Ctx): Promise<void>;
  };
  readonly projects: {
    get(namespace: string, name: string): AppProject | undefined;
    readonly changes: Changes<unknown>;
  };
  readonly apps: { readonly changes: Changes<{ readonly before?: unknown; readonly after?: unknown }> };
  /** Called with what of `argocd-rbac-cm` is unusable, each time that changes. Must not throw. */
  onProblems?(ctx: Ctx, problems: readonly RbacProblem[]): Promise<void>;
};

type Read = {
  readonly data: Data;
  readonly legacyAdminSubject: boolean;
  readonly config: RbacConfig;
  readonly enforcer: Enforcer;
  readonly decisions: WeakMap<RbacSubject, Known>;
};
/** What was read and decided for one subject. */
type Known = { readonly groups: readonly string[]; readonly decided: Map<string, Decision> };
type Decision = { readonly allowed: boolean; readonly project: AppProject | undefined };

/**
 * The RBAC policy in force: `argocd-rbac-cm`, its settings and the roles of projects, read from the watches at each decision,
 * so that a change takes effect with the next one. Decisions are cached until what they depend on changes.
 */
export class LivePolicy {
  readonly #deps: LivePolicyDeps;
  #read: Read | undefined;
  readonly #changes = new ChangeSignal();

  constructor(deps: LivePolicyDeps) {
    this.#deps = deps;
  }

  /** compat server §5.4 */
  allows(subject: RbacSubject, requested: Action): boolean {
    if (this.#deps.settings.current.server.authDisabled) return true; // compat server §1.4: server.disable.auth
    const { enforcer } = this.#current();
    const { groups, decided } = this.#known(subject);
    // with a length: callers choose actions and objects, and two questions must not share an entry
    const key = `${requested.resource} ${requested.action.length} ${requested.action} ${requested.object}`;
    const project = this.#projectNamed(projectIn(requested));
    const cached = decided.get(key);
    if (cached && cached.project === project) return cached.allowed;
    const { user, isLocal } = subject;
    const { allowed } = enforcer.judge({ user, groups, isLocal }, requested);
    if (decided.size >= mostDecisions) decided.clear();
    if (key.length <= longestKey) decided.set(key, { allowed, project });
    return allowed;
  }

  /** The groups of a subject: the values of the claims that `scopes` names. */
  groupsOf(subject: RbacSubject): readonly string[] {
    return this.#known(subject).groups;
  }

  /** Aborts when a decision may have changed. Read it before deciding: no change in between is missed. */
  get nextChange(): AbortSignal {
    return this.#changes.next;
  }

  /** Notices changes for open streams, and reports what of the policy is unusable. */
  async run(ctx: Ctx): Promise<void> {
    const { settings, projects, apps } = this.#deps;
    const [changes, dataChanges, projectChanges, appChanges] = [
      settings.changes(ctx),
      settings.dataChanges(ctx),
      projects.changes(ctx),
      apps.changes(ctx),
    ];
    await settings.whenSynced(ctx);
    await this.#report(ctx);
    const onEach = async <T>(of: AsyncIterable<T>, isOne: (change: T) => boolean): Promise<void> => {
      for await (const change of of) if (isOne(change)) this.#changes.fire();
    };
    const followMap = async (): Promise<void> => {
      for await (const { name } of dataChanges) {
        if (name !== mapName) continue;
        this.#changes.fire();
        await this.#report(ctx);
      }
    };
    await Promise.all([
      followMap(),
      onEach(changes, () => true),
      onEach(projectChanges, () => true),
      onEach(appChanges, ({ before, after }) => isMoved(before, after)),
    ]);
  }

  #known(subject: RbacSubject): Known {
    const { decisions, config } = this.#current();
    const known = decisions.get(subject);
    if (known) return known;
    const fresh = { groups: groupsIn(subject.claims, config.scopes), decided: new Map<string, Decision>() };
    decisions.set(subject, fresh);
    return fresh;
  }

  #current(): Read {
    const { settings } = this.#deps;
    const found = settings.dataOf(mapName);
    const data = Object.keys(found).length > 0 ? found : none; // one object for every empty one
    const { legacyAdminSubject } = settings.current.server;
    const read = this.#read;
    if (read?.data === data && read.legacyAdminSubject === legacyAdminSubject) return read;
    const config = readRbacConfig(data, read?.config);
    const { policy, defaultRole, matchMode } = config;
    const projectNamed = (name: string) => this.#projectNamed(name);
    const enforcer = new Enforcer({ policy, defaultRole, matchMode, legacyAdminSubject, projectNamed });
    this.#read = { data, legacyAdminSubject, config, enforcer, decisions: new WeakMap() };
    return this.#read;
  }

  #projectNamed(name: string | undefined): AppProject | undefined {
    return name === undefined ? undefined : this.#deps.projects.get(this.#deps.namespace, name);
  }

  async #report(ctx: Ctx): Promise<void> {
    const { problems } = this.#current().config;
    for (const { key, line, message } of problems)
      ctx.log.warn('RBAC policy not usable: the last usable one stays in force', {
        configMap: mapName,
        key,
        ...(line !== undefined && { line }),
        message,
      });
    if (problems.length > 0) await this.#deps.onProblems?.(ctx, problems);
  }
}

/** Whether an application has moved to another project. */
function isMoved(before: unknown, after: unknown): boolean {
  if (!before || !after) return false;
  return projectName(before as Application) !== projectName(after as Application);
}

/** The part of an object that may be the name of its project. */
function projectIn({ resource, object }: Action): string | undefined {
  if (resource === 'projects') return object;
  const slash = object.indexOf('/');
  return slash < 0 ? undefined : object.slice(0, slash);
}

/** compat server §4.4: a claim is a text or a list of texts. */
function groupsIn(
  claims: Readonly<Record<string, unknown>> | undefined,
  scopes: readonly string[],
): readonly string[] {
  if (!claims) return [];
  return scopes.flatMap((scope) =>
    Object.hasOwn(claims, scope)
      ? [claims[scope]].flat().filter((one): one is string => typeof one === 'string')
      : [],
  );
}
