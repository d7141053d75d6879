import { isObject } from '#base/std';

/** An untrusted payload, read without assuming its shape: a missing value, or one of another type, reads as empty. */
export class Payload {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** The value at a path of names. */
  at(...path: string[]): Payload {
    let value = this.#value;
    for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return new Payload(value);
  }

  get text(): string {
    return typeof this.#value === 'string' ? this.#value : '';
  }

  /** Undefined for what is no number. */
  get number(): number | undefined {
    return typeof this.#value === 'number' ? this.#value : undefined;
  }

  get list(): Payload[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => new Payload(item)) : [];
  }

  get texts(): string[] {
    return this.list.map(({ text }) => text).filter((text) => text !== '');
  }
}
