import { type KubeObject, parentPath } from '#base/model';
import type { YamlEdit } from '#lang/yaml';
import type { Check, Flaw, Inventory, Severity } from './check.ts';
import { fileUnreadable, ignoreUnknown, kustomizationUnbuilt } from './checks/files/files.ts';
import { checks } from './checks.ts';
import { examine } from './examine.ts';
import type { DoctorFile, FileObject } from './files.ts';
import { type IgnoreComments, ignoreComments } from './ignore-comments.ts';
import { type InventoryFacts, inventoryOf } from './inventory.ts';
import { textAt } from './kinds.ts';
import { type FlawPlace, placeInFile, placeOfRendered, sourcesFor } from './locate.ts';

/** One fault, with everything that a person or a program needs to know about it. */
export type DoctorFinding = {
  readonly check: Check;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
  /** `Deployment shop/web`; empty for a fault of a file. */
  readonly object: string;
  /** The file, from the root of what was read; undefined for an object of an installation. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** The Application whose target the object is; for an installation. */
  readonly application?: string;
  /** The safe fix, in the text of the file. */
  readonly edit: YamlEdit | undefined;
};

/** The objects of a kustomization, or why there are none. */
export type DoctorRender = {
  /** The folder. */
  readonly dir: string;
  readonly objects: readonly KubeObject[];
  /** The files that it was made of. */
  readonly files: readonly DoctorFile[];
  readonly problem?: string;
};

export type DoctorInput = {
  readonly files: readonly DoctorFile[];
  readonly renders: readonly DoctorRender[];
};

export type Diagnosis = {
  /** In the order of the checks, then of files and lines. */
  readonly findings: readonly DoctorFinding[];
  /** Findings that a comment in a file turned off. */
  readonly ignored: number;
  readonly objects: number;
};

const ids: ReadonlySet<string> = new Set(checks.map(({ id }) => id));
const rank = new Map(checks.map((check, at) => [check, at]));

/** `Deployment shop/web`. */
const objectName = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

/** Examines a tree of files: what kustomizations render, and every other manifest as it is written. */
export function diagnoseFiles(input: DoctorInput): Diagnosis {
  return new FileDiagnosis(input).run();
}

class FileDiagnosis {
  readonly #input: DoctorInput;
  readonly #comments = new Map<DoctorFile, IgnoreComments>();
  readonly #found = new Map<string, DoctorFinding>();
  readonly #twins = new Set<string>();
  #ignored = 0;

  constructor(input: DoctorInput) {
    this.#input = input;
  }

  run(): Diagnosis {
    const { files, renders } = this.#input;
    const built = renders.filter(({ problem }) => problem === undefined);
    const inside = new Set(built.flatMap((render) => render.files.map(({ path }) => path)));
    const written = files.filter(({ path }) => !inside.has(path)).flatMap(({ objects }) => objects);
    const rendered = built.flatMap((render) => render.objects.map((object) => ({ object, render })));
    const inventory = this.#inventory(written, rendered);
    for (const file of files) this.#file(file);
    for (const { dir, problem } of renders) if (problem !== undefined) this.#unbuilt(dir, problem);
    for (const source of written) {
      for (const { check, flaw, object } of examine(source.object, inventory))
        this.#report(check, flaw, object, placeInFile(source, flaw));
    }
    for (const { object, render } of rendered) this.#rendered(object, render, inventory);
    return { findings: this.#sorted(), ignored: this.#ignored, objects: written.length + rendered.length };
  }

  /** Two overlays on one base share its faults, under two names: a fault of a field at a place is reported once. */
  #rendered(object: KubeObject, render: DoctorRender, inventory: Inventory): void {
    const sources = sourcesIn(render, object);
    const kustomizations = render.files.filter(({ kustomization }) => kustomization !== undefined);
    const own = new Set<string>();
    for (const { check, flaw } of examine(object, inventory)) {
      const place = placeOfRendered(object, flaw, sources, kustomizations);
      const twin = `${check.id} ${flaw.at.join('.')} ${place?.file.path}:${place?.line}`;
      if (!this.#twins.has(twin)) this.#report(check, flaw, object, place);
      own.add(twin);
    }
    for (const twin of own) this.#twins.add(twin);
  }

  #inventory(
    written: readonly FileObject[],
    rendered: readonly { readonly object: KubeObject; readonly render: DoctorRender }[],
  ): Inventory {
    const renderOf = new Map(rendered.map(({ object, render }) => [object, render]));
    const folders = new FolderIndex();
    for (const { object, render } of rendered) folders.add(render.dir, object);
    for (const { object, file } of written) folders.add(parentPath(file.path), object);
    const facts: InventoryFacts = {
      sourcesOf: (object) => {
        const render = renderOf.get(object);
        return render ? sourcesIn(render, object).map((source) => source.object) : [];
      },
      targetsOf: (app) => folders.in(pathsOf(app)),
    };
    return inventoryOf(
      [...written, ...rendered].map(({ object }) => object),
      facts,
    );
  }

  #file(file: DoctorFile): void {
    const at = { file, column: 1, edit: undefined };
    if (file.problem) {
      const { line, message } = file.problem;
      this.#report(fileUnreadable, { at: [], message }, undefined, { ...at, line, documentLine: line });
    }
    for (const { line, message } of this.#commentsOf(file).unknown)
      this.#report(ignoreUnknown, { at: [], message }, undefined, { ...at, line, documentLine: line });
  }

  #unbuilt(dir: string, message: string): void {
    const file = this.#input.files.find(
      ({ path, kustomization }) => kustomization !== undefined && parentPath(path) === dir,
    );
    if (file)
      this.#report(kustomizationUnbuilt, { at: [], message }, undefined, {
        ...{ file, line: 1, column: 1, documentLine: 1, edit: undefined },
      });
  }

  #report(check: Check, flaw: Flaw, object: KubeObject | undefined, place: FlawPlace | undefined): void {
    if (!place) return;
    const { file, line, column, documentLine, edit } = place;
    const comments = this.#commentsOf(file);
    const key = `${check.id} ${file.path}:${line}:${column} ${flaw.message}`;
    if (this.#found.has(key)) return;
    if (comments.has(check.id, line) || comments.has(check.id, documentLine)) {
      this.#ignored += 1;
      return;
    }
    this.#found.set(key, {
      check,
      severity: flaw.severity ?? check.severity,
      message: flaw.message,
      fix: flaw.fix ?? check.fix,
      object: object ? objectName(object) : '',
      file: file.path,
      line,
      column,
      edit,
    });
  }

  #commentsOf(file: DoctorFile): IgnoreComments {
    const known = this.#comments.get(file) ?? ignoreComments(file.text, ids);
    this.#comments.set(file, known);
    return known;
  }

  #sorted(): DoctorFinding[] {
    const order = ({ check }: DoctorFinding): number => rank.get(check) ?? 0;
    return [...this.#found.values()].sort(
      (a, b) =>
        order(a) - order(b) || compare(a.file ?? '', b.file ?? '') || a.line - b.line || a.column - b.column,
    );
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const sourcesIn = (render: DoctorRender, object: KubeObject): FileObject[] =>
  sourcesFor(object, render.files);

/** Objects by the folder that they come from, under every end of its path: a repository may be a part of what was read. */
class FolderIndex {
  readonly #objects = new Map<string, KubeObject[]>();

  add(dir: string, object: KubeObject): void {
    for (let end = dir; end !== ''; end = end.includes('/') ? end.slice(end.indexOf('/') + 1) : '') {
      const known = this.#objects.get(end);
      if (known) known.push(object);
      else this.#objects.set(end, [object]);
    }
  }

  in(dirs: readonly string[]): KubeObject[] {
    return dirs.flatMap((dir) => this.#objects.get(dir) ?? []);
  }
}

/** The folders that an Application takes its manifests from. */
const pathsOf = (app: KubeObject): string[] =>
  [app.spec, ...(listOf(app.spec) ?? [])]
    .flatMap((spec) => textAt(spec, ['source', 'path']) ?? textAt(spec, ['path']) ?? [])
    .map((path) => path.replace(/^\.?\/+|\/+$/g, ''))
    .filter((path) => path !== '' && path !== '.');

const listOf = (spec: unknown): readonly unknown[] | undefined => {
  const sources = (spec as { sources?: unknown } | undefined)?.sources;
  return Array.isArray(sources) ? sources : undefined;
};

/** An installation: its own objects, and the targets of its applications. */
export type LiveInput = {
  readonly objects: readonly KubeObject[];
  readonly targets: ReadonlyMap<KubeObject, readonly KubeObject[]>;
  /** The names of the Revisions of a Knative Service, as far as they were read. */
  revisionsOf(object: KubeObject): readonly string[] | undefined;
};

/** Examines an installation. Findings have an application instead of a file. */
export function diagnoseLive({ objects, targets, revisionsOf }: LiveInput): Diagnosis {
  const all = [...targets.values()].flat();
  const facts: InventoryFacts = {
    targetsOf: (app) => targets.get(app) ?? [],
    revisionsOf,
    isLive: true,
    isWhole: true,
  };
  const inventory = inventoryOf([...objects, ...all], facts);
  const findings: DoctorFinding[] = [];
  const report = (object: KubeObject, application: string | undefined): void => {
    for (const { check, flaw } of examine(object, inventory))
      findings.push({
        check,
        severity: flaw.severity ?? check.severity,
        message: flaw.message,
        fix: flaw.fix ?? check.fix,
        object: objectName(object),
        ...{ file: undefined, line: 0, column: 0, edit: undefined },
        ...(application !== undefined && { application }),
      });
  };
  for (const object of objects)
    report(object, object.kind === 'Application' ? object.metadata.name : undefined);
  for (const [app, own] of targets) for (const object of own) report(object, app.metadata.name);
  findings.sort((a, b) => (rank.get(a.check) ?? 0) - (rank.get(b.check) ?? 0));
  return { findings, ignored: 0, objects: objects.length + all.length };
}
