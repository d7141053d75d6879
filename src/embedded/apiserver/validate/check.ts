import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { FieldError } from '../status.ts';

/** Collects the errors below one path; children share the list. */
export class FieldCheck {
  readonly path: string;
  readonly value: unknown;
  readonly #errors: FieldError[];

  constructor(path: string, value: unknown, errors: FieldError[] = []) {
    this.path = path;
    this.value = value;
    this.#errors = errors;
  }

  get errors(): readonly FieldError[] {
    return this.#errors;
  }

  get object(): JsonObject {
    return isObject(this.value) ? this.value : {};
  }

  get isSet(): boolean {
    return this.value !== undefined && this.value !== null && this.value !== '';
  }

  get text(): string {
    return typeof this.value === 'string' ? this.value : '';
  }

  field(name: string): FieldCheck {
    const path = this.path === '' ? name : `${this.path}.${name}`;
    return new FieldCheck(path, this.object[name], this.#errors);
  }

  /** The same list of errors at a path that is no field, such as `data[key]`. */
  at(suffix: string, value?: unknown): FieldCheck {
    return new FieldCheck(`${this.path}${suffix}`, value, this.#errors);
  }

  /** Items of a list, each with its index in the path; empty when there is no list. */
  items(): FieldCheck[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((item, index) => new FieldCheck(`${this.path}[${index}]`, item, this.#errors));
  }

  required(detail = ''): this {
    const empty = Array.isArray(this.value) && this.value.length === 0;
    if (!this.isSet || empty) this.#errors.push({ type: 'Required value', field: this.path, detail });
    return this;
  }

  /** Required, whatever the current value. */
  lacking(detail = ''): void {
    this.#errors.push({ type: 'Required value', field: this.path, detail });
  }

  /** Adds an error at a path of its own. */
  add(error: FieldError): void {
    this.#errors.push(error);
  }

  invalid(detail: string, value: unknown = this.value): void {
    this.#errors.push({ type: 'Invalid value', field: this.path, value, detail });
  }

  /** Invalid, without the value. */
  bare(detail: string): void {
    this.#errors.push({ type: 'Invalid value', field: this.path, detail, valueless: true });
  }

  forbidden(detail: string): void {
    this.#errors.push({ type: 'Forbidden', field: this.path, detail });
  }

  duplicate(value: unknown = this.value): void {
    this.#errors.push({ type: 'Duplicate value', field: this.path, value });
  }

  notFound(value: unknown = this.value): void {
    this.#errors.push({ type: 'Not found', field: this.path, value });
  }

  oneOf(values: readonly string[]): void {
    if (this.isSet && !values.includes(this.text)) this.unsupported(values);
  }

  /** compat cluster 3.13: the supported values are listed in the order given here, which is Kubernetes' own. */
  unsupported(values: readonly string[], value: unknown = this.value): void {
    const shown = values.map((one) => JSON.stringify(one));
    const detail = `supported values: ${shown.join(', ')}`;
    this.#errors.push({ type: 'Unsupported value', field: this.path, value, detail });
  }

  problems(found: readonly string[]): void {
    for (const detail of found) this.invalid(detail);
  }

  /** The value of an item in a map, at `path[key]`. */
  key(name: string): FieldCheck {
    return new FieldCheck(`${this.path}[${name}]`, this.object[name], this.#errors);
  }

  /** An integer within bounds; it may be absent. */
  between(least: number, most: number): void {
    const { value } = this;
    if (typeof value === 'number' && (value < least || value > most)) {
      this.invalid(`must be between ${least} and ${most}, inclusive`);
    }
  }

  port(): void {
    const number = this.value;
    if (number === undefined || typeof number === 'string') return;
    if (typeof number !== 'number' || number < 1 || number > 65535) {
      this.invalid('must be between 1 and 65535, inclusive');
    }
  }

  notNegative(): void {
    if (typeof this.value === 'number' && this.value < 0) this.invalid('must be greater than or equal to 0');
  }

  /** compat cluster 3.13: the error for an immutable field. */
  immutable(live: unknown): void {
    if (!equal(live, this.value)) this.invalid('field is immutable');
  }
}
