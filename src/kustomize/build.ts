import { isWithin } from '#model';
import { decline, type Meter } from './decline.ts';
import { generate } from './generate.ts';
import { setImage } from './images.ts';
import { type Kustomization, readKustomization } from './kustomization.ts';
import { addPairs, allLabels, annotations, ownLabels, templateLabels } from './labels.ts';
import type { Files } from './load.ts';
import { addPrefix, addSuffix, setNamespace } from './names.ts';
import { applyJsonPatches, applyMergePatches, applyPatch } from './patches.ts';
import { readObjects } from './read.ts';
import { type Resource, requireUnique, resourceOf } from './resource.ts';
import { setReplicas } from './scale.ts';

type Building = { readonly files: Files; readonly meter: Meter; readonly pause: () => Promise<void> };

export type Accumulated = { readonly resources: Resource[]; readonly kustomization: Kustomization };

/** Builds the kustomizations of folders, each on top of what it names, in kustomize's order (3.3.1). */
export class Build {
  readonly #files: Files;
  readonly #meter: Meter;
  readonly #pause: () => Promise<void>;

  constructor({ files, meter, pause }: Building) {
    this.#files = files;
    this.#meter = meter;
    this.#pause = pause;
  }

  /** `chain`: the folders that led here. A component works on what was there before it; others begin anew. */
  async folder(dir: string, chain: readonly string[], before?: Resource[]): Promise<Accumulated> {
    this.#meter.kustomization(chain.length);
    // compat KL-2: a folder around one on the way here is a cycle
    if (chain.some((visited) => isWithin(visited, dir))) decline('a cycle of kustomizations');
    const kustomization = readKustomization(await this.#files.kustomization(dir));
    if (kustomization.isComponent !== (before !== undefined))
      decline('a component where there should be none');
    const here = [...chain, dir];
    let resources = await this.#named(kustomization.resources, here, before ?? []);
    resources = await this.#generated(kustomization, dir, resources);
    for (const name of kustomization.components) {
      const { path, isFolder } = this.#files.find(dir, name);
      if (!isFolder) decline('a component that is no folder');
      const component = await this.folder(path, here, resources);
      if (component.kustomization.sortOrder) decline('an order in a component');
      resources = component.resources;
    }
    resources = await this.#transformed(kustomization, dir, resources);
    requireUnique(resources);
    return { resources, kustomization };
  }

  async #named(names: readonly string[], chain: readonly string[], before: Resource[]): Promise<Resource[]> {
    const dir = chain.at(-1) ?? '';
    const resources = [...before];
    for (const name of names) {
      const { path, isFolder } = this.#files.find(dir, name);
      if (isFolder) {
        const base = await this.folder(path, chain);
        if (base.kustomization.sortOrder) decline('an order in a base');
        resources.push(...base.resources);
        continue;
      }
      for (const { object, origin, nodes } of readObjects(await this.#files.textAt(dir, path), this.#meter)) {
        resources.push(resourceOf(object, origin, nodes));
      }
      await this.#pause();
    }
    requireUnique(resources);
    return resources;
  }

  async #generated(
    { configMapGenerator, secretGenerator }: Kustomization,
    dir: string,
    before: Resource[],
  ): Promise<Resource[]> {
    const place = { files: this.#files, dir };
    let resources = before;
    for (const entry of configMapGenerator) resources = await generate(resources, 'ConfigMap', entry, place);
    for (const entry of secretGenerator) resources = await generate(resources, 'Secret', entry, place);
    requireUnique(resources);
    return resources;
  }

  async #transformed(kustomization: Kustomization, dir: string, before: Resource[]): Promise<Resource[]> {
    const context = { files: this.#files, dir, meter: this.#meter };
    let resources = await applyMergePatches(before, kustomization.patchesStrategicMerge, context);
    for (const patch of kustomization.patches) {
      resources = await applyPatch(resources, patch, context);
      await this.#pause();
    }
    const { namespace, namePrefix, nameSuffix } = kustomization;
    if (namespace !== '') setNamespace(resources, namespace);
    if (namePrefix !== '') addPrefix(resources, namePrefix);
    if (nameSuffix !== '') addSuffix(resources, nameSuffix);
    this.#pairs(kustomization, resources);
    await applyJsonPatches(resources, kustomization.patchesJson6902, context);
    for (const { name, count } of kustomization.replicas) setReplicas(resources, name, count);
    for (const image of kustomization.images) {
      this.#spend(resources);
      setImage(resources, image);
      await this.#pause();
    }
    return resources;
  }

  #pairs({ labels, commonLabels, commonAnnotations }: Kustomization, resources: readonly Resource[]): void {
    for (const { pairs, includeSelectors, includeTemplates } of labels) {
      this.#spend(resources);
      const fields = includeSelectors ? allLabels : includeTemplates ? templateLabels : ownLabels;
      addPairs(resources, pairs, fields);
    }
    addPairs(resources, commonLabels, allLabels);
    addPairs(resources, commonAnnotations, annotations);
  }

  #spend(resources: readonly Resource[]): void {
    this.#meter.steps(resources.reduce((sum, { nodes }) => sum + nodes, 0));
  }
}
