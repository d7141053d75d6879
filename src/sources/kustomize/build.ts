import { isWithin } from '#base/model';
import { defaultConfig, emptyConfig, type KustomizeConfig, mergeConfigs } from './config.ts';
import { readConfigs } from './config-file.ts';
import { readCrds } from './crds.ts';
import { type BuildMeter, decline } from './decline.ts';
import { generate } from './generate.ts';
import { type Kustomization, readKustomization } from './kustomization.ts';
import type { Files } from './load.ts';
import { generatorOf, type KustomizeGenerator, transformerOf } from './plugins.ts';
import { fileOrigin, noteStep, originPath, pluginOrigin } from './provenance.ts';
import { readObjects } from './read.ts';
import { type KustomizeResource, requireUnique, resourceOf } from './resource.ts';
import { stepsOf } from './transform.ts';
import type { FieldMap } from './values.ts';
import { addVars, joinVars, type Var } from './vars.ts';

type Building = { readonly files: Files; readonly meter: BuildMeter; readonly pause: () => Promise<void> };

/** The result of a kustomization and everything it names. */
export type Accumulated = {
  readonly resources: KustomizeResource[];
  readonly config: KustomizeConfig;
  readonly vars: readonly Var[];
};

const nothing: Accumulated = { resources: [], config: emptyConfig, vars: [] };

/** A folder being built. */
type Visit = {
  readonly dir: string;
  /** The folders that led here, itself last. */
  readonly chain: readonly string[];
  /** The path to here as the kustomizations on the way write it, from the folder that is built. */
  readonly origin: string;
  /** The name of the kustomization's file. */
  readonly file: string;
  readonly kustomization: Kustomization;
};

/** Builds the kustomizations of folders, each on top of its resources, in kustomize's order (sources 3.3.1). */
export class Build {
  readonly #files: Files;
  readonly #meter: BuildMeter;
  readonly #pause: () => Promise<void>;
  #hasNotes = false;

  constructor({ files, meter, pause }: Building) {
    this.#files = files;
    this.#meter = meter;
    this.#pause = pause;
  }

  /** Builds the root folder of the build. */
  async root(dir: string): Promise<Accumulated & { readonly kustomization: Kustomization }> {
    const visit = await this.#visit(dir, [], '');
    const { kustomization } = visit;
    this.#hasNotes = kustomization.notes !== undefined;
    return { ...(await this.#accumulated(visit, nothing)), kustomization };
  }

  async #visit(dir: string, before: readonly string[], origin: string): Promise<Visit> {
    this.#meter.kustomization(before.length);
    // compat sources KL-2: a folder that encloses one on the way here is a cycle
    if (before.some((visited) => isWithin(visited, dir))) decline('a cycle of kustomizations');
    const { text, name } = await this.#files.kustomization(dir);
    const kustomization = readKustomization(text);
    return { dir, chain: [...before, dir], origin, file: name, kustomization };
  }

  /** A component transforms the objects accumulated before it; others begin with none, and are appended. */
  async #folder(visit: Visit, before: Accumulated, isComponent: boolean): Promise<Accumulated> {
    if (visit.kustomization.isComponent !== isComponent) decline('a component where there should be none');
    if (isComponent) return this.#accumulated(visit, before);
    const base = await this.#accumulated(visit, nothing);
    return {
      resources: [...before.resources, ...base.resources],
      config: mergeConfigs(before.config, base.config),
      vars: joinVars(before.vars, base.vars),
    };
  }

  async #accumulated(visit: Visit, before: Accumulated): Promise<Accumulated> {
    const { dir, chain, kustomization } = visit;
    let all = await this.#named(kustomization.resources, visit, before);
    all = { ...all, config: mergeConfigs(all.config, await this.#config(kustomization, dir)) };
    all = { ...all, resources: await this.#generated(visit, all.resources) };
    for (const name of kustomization.components) {
      const { path, isFolder } = this.#files.find(dir, name);
      if (!isFolder) decline('a component that is no folder');
      const component = await this.#visit(path, chain, originPath(visit.origin, name));
      all = await this.#folder(component, all, true);
    }
    const resources = await this.#transformed(visit, all);
    requireUnique(resources);
    return { resources, config: all.config, vars: addVars(all.vars, kustomization.vars, resources) };
  }

  async #named(names: readonly string[], visit: Visit, before: Accumulated): Promise<Accumulated> {
    const { dir, chain } = visit;
    let all: Accumulated = { ...before, resources: [...before.resources] };
    for (const name of names) {
      const { path, isFolder } = this.#files.find(dir, name);
      const origin = originPath(visit.origin, name);
      if (isFolder) all = await this.#folder(await this.#visit(path, chain, origin), all, false);
      else all.resources.push(...this.#objects(await this.#files.textAt(dir, path), origin));
      await this.#pause();
    }
    requireUnique(all.resources);
    return all;
  }

  #objects(text: string, path: string): KustomizeResource[] {
    const madeBy = this.#hasNotes ? fileOrigin(path) : '';
    return readObjects(text, this.#meter).map(({ object, origin, nodes }) => ({
      ...resourceOf(object, origin, nodes),
      madeBy,
    }));
  }

  /** The origin to record for a plugin; undefined when none is recorded. */
  #note(path: string, kind: string, metadata?: FieldMap): string {
    return this.#hasNotes ? pluginOrigin(path, kind, metadata) : '';
  }

  /** compat sources KE-2: kustomize's own tables, and the additions of the kustomization. */
  async #config({ configurations, crds }: Kustomization, dir: string): Promise<KustomizeConfig> {
    const texts: string[] = [];
    for (const name of configurations) texts.push(await this.#files.text(dir, name));
    const schemas: string[] = [];
    for (const name of crds) schemas.push(await this.#files.text(dir, name));
    const config = mergeConfigs(defaultConfig, readConfigs(texts));
    return schemas.length === 0 ? config : mergeConfigs(config, readCrds(schemas));
  }

  async #generated(visit: Visit, before: KustomizeResource[]): Promise<KustomizeResource[]> {
    const { configMapGenerator, secretGenerator, generators } = visit.kustomization;
    const configured = originPath(visit.origin, visit.file);
    const made: (KustomizeGenerator & { readonly origin: string })[] = [];
    for (const entry of configMapGenerator) {
      made.push({ kind: 'ConfigMap', entry, origin: this.#note(configured, 'ConfigMapGenerator') });
    }
    for (const entry of secretGenerator) {
      made.push({ kind: 'Secret', entry, origin: this.#note(configured, 'SecretGenerator') });
    }
    for (const plugin of await this.#plugins(generators, visit)) {
      made.push({ ...generatorOf(plugin.object), origin: this.#noteOf(plugin) });
    }
    let resources = before;
    for (const { kind, entry, origin } of made) {
      resources = await generate(resources, kind, entry, { files: this.#files, dir: visit.dir, origin });
    }
    requireUnique(resources);
    return resources;
  }

  async #transformed(visit: Visit, before: Accumulated): Promise<KustomizeResource[]> {
    const { dir, kustomization } = visit;
    const context = { files: this.#files, dir, meter: this.#meter, hasNotes: this.#hasNotes };
    const configured = originPath(visit.origin, visit.file);
    const plugins = await this.#plugins(kustomization.transformers, visit);
    const steps = [
      ...stepsOf(kustomization, before.config).map((step) => ({
        ...step,
        origin: this.#note(configured, step.name),
      })),
      ...plugins.map((plugin) => ({ ...transformerOf(plugin.object), origin: this.#noteOf(plugin) })),
    ];
    let { resources } = before;
    for (const { run, origin } of steps) {
      resources = (await run(resources, context)) ?? resources;
      if (this.#hasNotes) noteStep(resources, origin);
      await this.#pause();
    }
    return resources;
  }

  #noteOf({ madeBy, kind, metadata }: KustomizeResource): string {
    return this.#note(madeBy.replace(/^path: |\n$/g, ''), kind, metadata);
  }

  /** compat sources KE-4: inline objects come first, then those of files and folders. */
  async #plugins(entries: readonly string[], visit: Visit): Promise<readonly KustomizeResource[]> {
    if (entries.length === 0) return [];
    const isInline = (entry: string): boolean => entry.includes('\n');
    const configured = originPath(visit.origin, visit.file);
    const inline = entries.filter(isInline).flatMap((text) => this.#objects(text, configured));
    const names = entries.filter((entry) => !isInline(entry));
    return (await this.#named(names, visit, { ...nothing, resources: inline })).resources;
  }
}
