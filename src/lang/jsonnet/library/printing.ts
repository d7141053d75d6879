import { JsonnetError } from '../fault.ts';
import { numberText, plainNumberText } from '../number-text.ts';
import { fieldOf, quoted, textOf, visibleNames } from '../print-json.ts';
import { Fn, force, isList, type JsonnetValue, Obj, typeOf, type Vm } from '../value.ts';
import { asBoolean, asList, asObject, asText, type JsonnetBuiltin } from './define.ts';
import { printToml } from './print-toml.ts';
import { printYaml, type YamlStyle } from './print-yaml.ts';

type JsonStyle = { readonly indent: string; readonly newline: string; readonly colon: string };

/** compat sources JSN-4: as Go's encoder writes a string. */
const goString = (text: string): string =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);

function printJson(vm: Vm, value: JsonnetValue, style: JsonStyle, margin = ''): string {
  vm.meter.step();
  if (typeof value === 'string') return goString(value);
  if (typeof value === 'number') return plainNumberText(value);
  if (value instanceof Fn) throw new JsonnetError('a function cannot be shown as JSON');
  const inner = margin + style.indent;
  const within = (open: string, lines: readonly string[], close: string): string =>
    `${open}${style.newline}${lines.map((line) => inner + line).join(`,${style.newline}`)}${style.newline}${margin}${close}`;
  if (isList(value)) {
    return within(
      '[',
      value.map((item) => printJson(vm, force(item), style, inner)),
      ']',
    );
  }
  if (!(value instanceof Obj)) return String(value);
  const lines = visibleNames(value).map(
    (name) => `${goString(name)}${style.colon}${printJson(vm, fieldOf(value, name), style, inner)}`,
  );
  return within('{', lines, '}');
}

function printPython(vm: Vm, value: JsonnetValue): string {
  vm.meter.step();
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (isList(value)) return `[${value.map((item) => printPython(vm, force(item))).join(', ')}]`;
  if (value instanceof Fn) throw new JsonnetError('a function cannot be shown as Python');
  return `{${visibleNames(value)
    .map((name) => `${quoted(name)}: ${printPython(vm, fieldOf(value, name))}`)
    .join(', ')}}`;
}

function pythonVars(vm: Vm, conf: Obj): string {
  const lines = visibleNames(conf).map((name) => `${name} = ${printPython(vm, fieldOf(conf, name))}\n`);
  return lines.join('');
}

function iniLines(vm: Vm, body: Obj): string[] {
  return visibleNames(body).flatMap((name) => {
    const value = fieldOf(body, name);
    const all = isList(value) ? value.map(force) : [value];
    return all.map((one) => `${name} = ${textOf(vm, one)}\n`);
  });
}

function printIni(vm: Vm, ini: Obj): string {
  const main = ini.fields().get('main') === true ? iniLines(vm, asObject(fieldOf(ini, 'main'), 'main')) : [];
  ini.check();
  const sections = ini.get('sections');
  if (sections === undefined) throw new JsonnetError('an ini file needs the field "sections"');
  const all = asObject(sections, 'sections');
  const rest = visibleNames(all).flatMap((name) => [
    `[${name}]\n`,
    ...iniLines(vm, asObject(fieldOf(all, name), name)),
  ]);
  return [...main, ...rest].join('');
}

/** JsonML: `["tag", {attributes}, …children]`. Texts are not escaped. */
function printXml(vm: Vm, value: JsonnetValue): string {
  vm.meter.step();
  if (typeof value === 'string') return value;
  const [first, ...rest] = asList(value, 'an element').map(force);
  const tag = asText(first ?? null, 'the name of an element');
  const attributes = rest[0] instanceof Obj ? rest[0] : undefined;
  const children = attributes ? rest.slice(1) : rest;
  const shown = attributes
    ? visibleNames(attributes).map((name) => ` ${name}="${textOf(vm, fieldOf(attributes, name))}"`)
    : [];
  return `<${tag}${shown.join('')}>${children.map((child) => printXml(vm, child)).join('')}</${tag}>`;
}

function yamlStyle(indentArrays: JsonnetValue, quoteKeys: JsonnetValue): YamlStyle {
  return {
    indentArrays: asBoolean(indentArrays, 'indent_array_in_object'),
    quoteKeys: asBoolean(quoteKeys, 'quote_keys'),
  };
}

function yamlStream(vm: Vm, documents: JsonnetValue, style: YamlStyle, end: boolean): string {
  if (!isList(documents))
    throw new JsonnetError(`a YAML stream is made from an array, got ${typeOf(documents)}`);
  const printed = documents.map((item) => printYaml(vm, force(item), style));
  return `---\n${printed.join('\n---\n')}${end ? '\n...\n' : '\n'}`;
}

/** Counts what was printed. */
const counted = (vm: Vm, text: string): string => {
  vm.meter.text(text.length);
  return text;
};

export const printing: readonly JsonnetBuiltin[] = [
  [
    'manifestJsonEx(value, indent, newline="\\n", key_val_sep=": ")',
    (vm, ...[value = null, indent = null, newline = null, colon = null]) =>
      counted(
        vm,
        printJson(vm, value, {
          indent: asText(indent, 'indent'),
          newline: asText(newline, 'newline'),
          colon: asText(colon, 'key_val_sep'),
        }),
      ),
  ],
  [
    'manifestJson(value)',
    (vm, value = null) => counted(vm, printJson(vm, value, { indent: '    ', newline: '\n', colon: ': ' })),
  ],
  [
    'manifestJsonMinified(value)',
    (vm, value = null) => counted(vm, printJson(vm, value, { indent: '', newline: '', colon: ':' })),
  ],
  [
    'manifestYamlDoc(value, indent_array_in_object=false, quote_keys=true)',
    (vm, value = null, indentArrays = null, quoteKeys = null) =>
      counted(vm, printYaml(vm, value, yamlStyle(indentArrays, quoteKeys))),
  ],
  [
    'manifestYamlStream(value, indent_array_in_object=false, c_document_end=true, quote_keys=true)',
    (vm, ...[value = null, indentArrays = null, end = null, quoteKeys = null]) =>
      counted(
        vm,
        yamlStream(vm, value, yamlStyle(indentArrays, quoteKeys), asBoolean(end, 'c_document_end')),
      ),
  ],
  [
    'manifestTomlEx(value, indent)',
    (vm, value = null, indent = null) => counted(vm, printToml(vm, value, asText(indent, 'indent'))),
  ],
  ['manifestToml(value)', (vm, value = null) => counted(vm, printToml(vm, value, '  '))],
  ['manifestIni(ini)', (vm, ini = null) => counted(vm, printIni(vm, asObject(ini, 'an ini file')))],
  ['manifestPython(v)', (vm, value = null) => counted(vm, printPython(vm, value))],
  [
    'manifestPythonVars(conf)',
    (vm, conf = null) => counted(vm, pythonVars(vm, asObject(conf, 'the variables'))),
  ],
  ['manifestXmlJsonml(value)', (vm, value = null) => counted(vm, printXml(vm, asList(value, 'JsonML')))],
];
