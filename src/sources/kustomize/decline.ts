/** Why a kustomization is left to the real engine. Never shown to users as an error: the real engine speaks for itself. */
export class Declined extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Declined';
  }
}

/** Leaves the whole build to the real engine. */
export function decline(reason: string): never {
  throw new Declined(reason);
}

/** What one build may cost before it is left to the real engine, which runs beside the event loop and not in it. */
export const limits = {
  bytes: 2_000_000,
  objects: 2_000,
  kustomizations: 100,
  nesting: 20,
  depth: 60,
  /** Values looked at, over all files and all steps. */
  steps: 1_500_000,
};

/** Counts what a build costs; declines when it is too much. */
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
