import {
  asResource,
  type CelProgram,
  CelSyntaxError,
  compileCel,
  type ExprSchema,
  optionalOf,
  printType,
  type SchemaType,
  schemaType,
} from '#embedded/cel';

/** One entry of x-kubernetes-validations. */
export type ValidationRule = {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};

export type RuledSchema = ExprSchema & {
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly allOf?: readonly RuledSchema[];
};

/** A compiled rule, or the error of compiling it. */
export type CompiledRule = {
  readonly rule: ValidationRule;
  readonly program: CelProgram | undefined;
  readonly error: string | undefined;
  readonly message: CelProgram | undefined;
  readonly messageError: string | undefined;
  readonly usesOld: boolean;
};

/** The rules of a schema node and of everything below it; nodes without any are left out. */
export type RuleNode = {
  readonly schema: RuledSchema;
  /** The type of this node's values in expressions. */
  readonly exprSchema: ExprSchema;
  readonly rules: readonly CompiledRule[];
  readonly allOf: readonly RuleNode[];
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
};

const selfName = 'selfType';

/** Compiles all rules of a schema; undefined when there are none. Never throws for an author's mistake. */
export function compileRules(root: RuledSchema): RuleNode | undefined {
  return hasRules(root) ? nodeOf(root, root, true) : undefined;
}

function hasRules(schema: RuledSchema): boolean {
  if (schema['x-kubernetes-validations']?.length) return true;
  const { items, additionalProperties, properties = {}, allOf = [] } = schema;
  if (items && hasRules(items)) return true;
  if (typeof additionalProperties === 'object' && hasRules(additionalProperties)) return true;
  return allOf.some(hasRules) || Object.values(properties).some(hasRules);
}

/** `rules` has the rules to apply, `shape` the types of the values; they differ inside allOf. */
function nodeOf(rules: RuledSchema, shape: RuledSchema, isResource: boolean): RuleNode | undefined {
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(rules.properties ?? {})) {
    const own = shape.properties?.[name];
    const node = own && nodeOf(property, own, isEmbedded(own));
    if (node) properties.set(name, node);
  }
  const items = rules.items && shape.items && nodeOf(rules.items, shape.items, isEmbedded(shape.items));
  const node: RuleNode = {
    schema: shape,
    exprSchema: isResource ? asResource(shape) : shape,
    rules: compileNode(rules, shape, isResource),
    allOf: (rules.allOf ?? []).flatMap((part) => nodeOf(part, shape, isResource) ?? []),
    items,
    values: valuesOf(rules, shape),
    properties,
  };
  const isEmpty =
    node.rules.length + node.allOf.length + properties.size === 0 && !node.items && !node.values;
  return isEmpty ? undefined : node;
}

const isEmbedded = (schema: RuledSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

function valuesOf(rules: RuledSchema, shape: RuledSchema): RuleNode | undefined {
  const own = shape.additionalProperties;
  const ruled = rules.additionalProperties;
  if (typeof own !== 'object' || typeof ruled !== 'object') return undefined;
  return nodeOf(ruled, own, isEmbedded(own));
}

function compileNode(rules: RuledSchema, shape: RuledSchema, isResource: boolean): CompiledRule[] {
  const written = rules['x-kubernetes-validations'] ?? [];
  if (written.length === 0) return [];
  const type = schemaType(shape, selfName, isResource);
  return written.map((rule) => (type ? compileRule(rule, type) : unusable(rule)));
}

const blank = {
  program: undefined,
  error: undefined,
  message: undefined,
  messageError: undefined,
  usesOld: false,
};

const unusable = (rule: ValidationRule): CompiledRule => ({
  ...blank,
  rule,
  error: 'failed to convert to declType for CEL validation rules',
});

/** Compiles one rule over values of a type. */
export function compileRule(rule: ValidationRule, { type }: SchemaType): CompiledRule {
  if ((rule.rule ?? '').trim() === '') return { ...blank, rule };
  const variables = new Map([
    ['self', type],
    ['oldSelf', rule.optionalOldSelf ? optionalOf(type) : type],
  ]);
  const program = attempt(() => compileCel(rule.rule ?? '', variables), 'compilation failed: ');
  if (typeof program === 'string') return { ...blank, rule, error: program };
  if (printType(program.type) !== 'bool') {
    return { ...blank, rule, error: 'cel expression must evaluate to a bool' };
  }
  const made = { ...blank, rule, program, usesOld: program.variables.has('oldSelf') };
  if (!rule.messageExpression) return made;
  const message = attempt(
    () => compileCel(rule.messageExpression ?? '', variables),
    'messageExpression compilation failed: ',
  );
  if (typeof message === 'string') return { ...made, messageError: message };
  return printType(message.type) === 'string'
    ? { ...made, message }
    : { ...made, messageError: 'messageExpression must evaluate to a string' };
}

function attempt(compile: () => CelProgram, prefix: string): CelProgram | string {
  try {
    return compile();
  } catch (error) {
    if (error instanceof CelSyntaxError) return `${prefix}${error.message}`;
    throw error;
  }
}
