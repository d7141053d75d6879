import { FairleadError, isObject, type JsonObject } from '#base/std';

/** A key of a Secret, as generators name it. */
export type ScmSecretRef = { readonly secretName: string; readonly key: string };
/** A key of a ConfigMap. */
export type ScmConfigMapRef = { readonly configMapName: string; readonly key: string };

/** The fields that a user wrote for a provider. Reads throw InvalidSpec with the name of the field. */
export class ProviderFields {
  /** The provider's own name and place, for messages: `scmProvider.github`. */
  readonly name: string;
  readonly #fields: JsonObject;
  readonly #read = new Set<string>();

  constructor(name: string, fields: unknown) {
    this.name = name;
    if (!isObject(fields)) throw new FairleadError('InvalidSpec', `${name} must be an object: correct it`);
    this.#fields = fields;
  }

  /** A text; '' when there is none. */
  text(field: string): string {
    const value = this.#value(field) ?? '';
    if (typeof value === 'string') return value;
    throw this.#wrong(field, 'text');
  }

  /** A text that must not be empty. */
  required(field: string): string {
    const value = this.text(field);
    if (value !== '') return value;
    throw new FairleadError('InvalidSpec', `${this.name}.${field} is empty: set it`);
  }

  flag(field: string, otherwise = false): boolean {
    const value = this.#value(field) ?? otherwise;
    if (typeof value === 'boolean') return value;
    throw this.#wrong(field, 'true or false');
  }

  texts(field: string): readonly string[] {
    const value = this.#value(field) ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.#wrong(field, 'a list of texts');
  }

  /** The objects of a list. */
  groups(field: string): readonly ProviderFields[] {
    const value = this.#value(field) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(field, 'a list');
    return value.map((item, index) => new ProviderFields(`${this.name}.${field}[${index}]`, item));
  }

  group(field: string): ProviderFields | undefined {
    const value = this.#value(field);
    return value === undefined || value === null
      ? undefined
      : new ProviderFields(`${this.name}.${field}`, value);
  }

  secretRef(field: string): ScmSecretRef | undefined {
    const ref = this.group(field);
    return ref && { secretName: ref.required('secretName'), key: ref.required('key') };
  }

  configMapRef(field: string): ScmConfigMapRef | undefined {
    const ref = this.group(field);
    return ref && { configMapName: ref.required('configMapName'), key: ref.required('key') };
  }

  /** The fields that were written and not read: they have no effect. */
  get unused(): readonly string[] {
    return Object.keys(this.#fields).filter((field) => !this.#read.has(field));
  }

  #value(field: string): unknown {
    this.#read.add(field);
    return Object.hasOwn(this.#fields, field) ? this.#fields[field] : undefined;
  }

  #wrong(field: string, wanted: string): FairleadError {
    return new FairleadError('InvalidSpec', `${this.name}.${field} must be ${wanted}: correct it`);
  }
}
