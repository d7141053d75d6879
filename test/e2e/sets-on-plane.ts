import type { ApplicationSet, KubeObject } from '#base/model';
import type { Plane } from './in-process.ts';

const local = 'https://kubernetes.default.svc';

/** A list generator with one parameter, `env`. */
export const listOf = (...names: readonly string[]) => ({
  list: { elements: names.map((env) => ({ env })) },
});

export const conditionOf = (set: ApplicationSet | undefined, type: string) =>
  set?.status?.conditions?.find((one) => one.type === type);

/** What the tests do with ApplicationSets on a plane. */
export class SetsOnPlane {
  readonly #plane: Plane;
  readonly #namespace: string;

  constructor(plane: Plane, namespace = 'argocd') {
    this.#plane = plane;
    this.#namespace = namespace;
  }

  setOf(name: string, spec: Partial<ApplicationSet['spec']>, metadata: object = {}): ApplicationSet {
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name, namespace: this.#namespace, ...metadata },
      spec: { generators: [], template: this.templateOf(name), ...spec },
    };
  }

  templateOf(name: string): ApplicationSet['spec']['template'] {
    return {
      metadata: { name: `${name}-{{env}}`, labels: { env: '{{env}}' } },
      spec: {
        project: 'default',
        source: { repoURL: this.#plane.url, path: 'apps', targetRevision: 'HEAD' },
        destination: { server: local, namespace: `${name}-{{env}}` },
      },
    };
  }

  async findSet(name: string): Promise<ApplicationSet | undefined> {
    return (await this.#plane.find(this.#refTo('ApplicationSet', name))) as ApplicationSet | undefined;
  }

  edit(kind: string, name: string, body: object): Promise<KubeObject> {
    const { kube, ctx } = this.#plane;
    return kube.patch(ctx, this.#refTo(kind, name), { type: 'merge', body });
  }

  remove(kind: string, name: string): Promise<unknown> {
    return this.#plane.kube.delete(this.#plane.ctx, this.#refTo(kind, name));
  }

  async namesOf(prefix: string): Promise<string[]> {
    const from = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: this.#namespace };
    const { items } = await this.#plane.kube.list(this.#plane.ctx, from);
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(`${prefix}-`));
  }

  untilNames(prefix: string, ...names: readonly string[]): Promise<string[]> {
    return this.#plane.until(
      `the applications are ${names.join()}`,
      () => this.namesOf(prefix),
      (found) => found.join() === names.map((name) => `${prefix}-${name}`).join(),
    );
  }

  untilSet(name: string, what: string, isSo: (set: ApplicationSet) => boolean): Promise<ApplicationSet> {
    return this.#plane.until(
      `${name} is ${what}`,
      () => this.findSet(name),
      (found) => found !== undefined && isSo(found),
    ) as Promise<ApplicationSet>;
  }

  untilUpToDate(name: string): Promise<ApplicationSet> {
    return this.untilSet(
      name,
      'up to date',
      (set) => conditionOf(set, 'ResourcesUpToDate')?.status === 'True',
    );
  }

  untilError(name: string, text: string): Promise<ApplicationSet> {
    return this.#untilCondition(name, 'ErrorOccurred', text);
  }

  /** Until a warning contains the text. */
  untilWarning(name: string, text: string): Promise<ApplicationSet> {
    return this.#untilCondition(name, 'ConfigurationWarning', text);
  }

  #untilCondition(name: string, type: string, text: string): Promise<ApplicationSet> {
    return this.untilSet(name, `${type} with ${text}`, (set) => {
      const { status, message = '' } = conditionOf(set, type) ?? {};
      return status === 'True' && message.includes(text);
    });
  }

  #refTo(kind: string, name: string) {
    return { apiVersion: 'argoproj.io/v1alpha1', kind, namespace: this.#namespace, name };
  }
}
