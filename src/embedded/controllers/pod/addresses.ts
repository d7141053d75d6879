import type { Key } from '../simulation-context.ts';

const first = 10 * 2 ** 24 + 244 * 2 ** 16 + 10;
const count = 2 ** 16 - 20;

/** The addresses of pods in 10.244.0.0/16, read from the pods themselves; no two pods share one. */
export class Addresses {
  readonly #owner = new Map<string, string>();
  readonly #address = new Map<string, string>();

  /** Records an address that a pod already has. */
  keep(key: Key, address: string): void {
    this.#owner.set(address, idOf(key));
    this.#address.set(idOf(key), address);
  }

  /** The free address nearest to this fraction of the range. */
  take(key: Key, fate: number): string {
    const start = Math.floor(fate * count);
    for (let step = 0; step < count; step++) {
      const address = printed(first + ((start + step) % count));
      if (this.#owner.has(address)) continue;
      this.keep(key, address);
      return address;
    }
    return printed(first);
  }

  release(key: Key): void {
    const address = this.#address.get(idOf(key));
    if (address !== undefined) this.#owner.delete(address);
    this.#address.delete(idOf(key));
  }
}

const idOf = ({ namespace, name }: Key): string => `${namespace}/${name}`;

const printed = (value: number): string =>
  [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
