/**
 * Why a kustomization is left to the kustomize program. Never shown to users as an error: kustomize reports its own.
 */
export class Declined extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Declined';
  }
}

/** Leaves the whole build to the kustomize program. */
export function decline(reason: string): never {
  throw new Declined(reason);
}

/** The cost limit of one build; above it the kustomize program builds, outside the event loop. */
export const limits = {
  bytes: 2_000_000,
  objects: 2_000,
  kustomizations: 100,
  nesting: 20,
  depth: 60,
  /** Values visited, over all files and all steps. */
  steps: 1_500_000,
};

/** Counts the cost of a build; declines above the limit. */
export class BuildMeter {
  #bytes = 0;
  #steps = 0;
  #kustomizations = 0;

  bytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > limits.bytes) decline(`more than ${limits.bytes} bytes of files`);
  }

  steps(count: number): void {
    this.#steps += count;
    if (this.#steps > limits.steps) decline(`more than ${limits.steps} steps`);
  }

  kustomization(nesting: number): void {
    this.#kustomizations += 1;
    if (this.#kustomizations > limits.kustomizations || nesting > limits.nesting) {
      decline('too many kustomizations');
    }
  }
}
