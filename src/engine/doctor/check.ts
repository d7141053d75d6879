import type { KubeObject } from '#base/model';

/**
 * `error`: it will fail, or it does not do what it says. `warning`: it works, and will hurt one day. `note`: a habit that the
 * checklists for production recommend.
 */
export type Severity = 'error' | 'warning' | 'note';

/** The way to a field of an object. */
export type FieldPath = readonly (string | number)[];

/** A field and what mends it: another value, or quotes around the one that is written. */
export type Mend =
  | { readonly path: FieldPath; readonly value: string | number }
  | { readonly path: FieldPath; readonly quote: true };

/** One place where an object has the fault that a check is about. */
export type Flaw = {
  readonly at: FieldPath;
  /** What is wrong with this object, in half a sentence. Never a value of a Secret. */
  readonly message: string;
  /** Where it differs from the check's. */
  readonly severity?: Severity;
  /** What to do, where it is more precise than the check's. */
  readonly fix?: string;
  /**
   * A safe fix: the cluster gets the same object as before, or accepts one that it refuses now. What changes the behaviour
   * of something that works is a decision, and is left to people.
   */
  readonly mend?: Mend;
  /** Fields of a kustomization that cause it, for a fault that none of its files contains. */
  readonly causedBy?: readonly string[];
  /** The lines below the field, for a line in a text; 0 is the first. */
  readonly lineBelow?: number;
};

/** What else there is beside the object. */
export type Inventory = {
  /** All objects of a kind, written as `group/Kind`, or `Kind` in the core group. */
  all(kind: string): readonly KubeObject[];
  /** The target manifests of an Application, as far as they are known. */
  targetsOf(app: KubeObject): readonly KubeObject[];
  /** For a rendered object: the documents that its parts came from. */
  sourcesOf(object: KubeObject): readonly KubeObject[];
  /** The Revisions of a Knative Service in the cluster; undefined: no cluster was read. */
  revisionsOf(object: KubeObject): readonly string[] | undefined;
  /** The objects were read from a cluster, not from files. */
  readonly isLive: boolean;
  /** No object is a part of one, as a patch in a file is. */
  readonly isWhole: boolean;
};

/** A check is data, and one function that finds the fault. A new one is a file, and a line in `checks.ts`. */
export type Check = {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  /** Why it matters, in a sentence. */
  readonly why: string;
  /** What to do, in a sentence. */
  readonly fix: string;
  /** The kinds that it reads, as `group/Kind`, or `Kind` in the core group; a star: all. */
  readonly reads: readonly string[];
  /**
   * Also a warning on the application, after each render (decision 58): `errors`, which the object alone proves, whatever the
   * cluster, its settings and the other objects are; `knative`, errors and warnings about a Knative object.
   */
  readonly onApplication?: 'errors' | 'knative';
  find(object: KubeObject, inventory: Inventory): Iterable<Flaw>;
};
