// Fails for a setting that the table of keys calls `used` and that no room reads.
// A field is read where the type checker finds a reference to that very field of Settings, whatever the variable is called and however
// it is taken out of its parent; a field of the same name in another type does not count.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { transformSync } from 'esbuild';
import ts from 'typescript';

const room = 'src/base/model';
/** Read by the parser of another field, which rooms read. */
const readThrough = { 'server.adminEnabled': 'server.accounts' };

async function table() {
  const { code } = transformSync(readFileSync(`${room}/settings-table.ts`, 'utf8'), {
    loader: 'ts',
    format: 'esm',
  });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).settingsTable;
}

function service() {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => resolve('src', file));
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd());
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  });
}

const language = service();
const program = language.getProgram();
const checker = program.getTypeChecker();
const source = program.getSourceFile(resolve(room, 'settings.ts'));
const settings = source.statements.find(
  (one) => ts.isTypeAliasDeclaration(one) && one.name.text === 'Settings',
);

/** Where the type declares a field; undefined: it does not. */
function declarationOf(field) {
  let type = checker.getTypeAtLocation(settings);
  let declaration;
  for (const name of field.split('.')) {
    declaration = type && checker.getPropertyOfType(type, name)?.valueDeclaration;
    type = declaration && checker.getNonNullableType(checker.getTypeAtLocation(declaration));
  }
  return declaration;
}

const nodeAt = ({ fileName, textSpan }) =>
  ts.getTokenAtPosition(program.getSourceFile(fileName), textSpan.start);

/** A field that an object literal sets is written there, not read. */
const isRead = ({ parent }) => !ts.isPropertyAssignment(parent) && !ts.isShorthandPropertyAssignment(parent);

/** `settings.links[of]` reads any field of its parent. */
const isReadByKey = ({ parent }) =>
  ts.isPropertyAccessExpression(parent) && ts.isElementAccessExpression(parent.parent);

function referencesOutside(field) {
  const declaration = declarationOf(field);
  if (!declaration) return [];
  const file = declaration.getSourceFile().fileName;
  const found = language.getReferencesAtPosition(file, declaration.name.getStart()) ?? [];
  return found.filter(({ fileName }) => !fileName.startsWith(resolve(room))).map(nodeAt);
}

function isReadOutside(named) {
  const field = readThrough[named] ?? named;
  const parent = field.split('.').slice(0, -1).join('.');
  return (
    referencesOutside(field).some(isRead) || (parent !== '' && referencesOutside(parent).some(isReadByKey))
  );
}

const rows = await table();
const used = [...new Set(rows.filter(({ support }) => support === 'used').flatMap(({ fields }) => fields))];
const findings = used
  .filter((field) => !isReadOutside(field))
  .map(
    (field) =>
      `${field} is said to be used, and no room reads it: read it, or say so in ${room}/settings-table.ts`,
  );
for (const finding of findings) console.error(finding);
if (used.length === 0) console.error('not checked: the table has no setting that is used');
if (findings.length > 0 || used.length === 0) process.exit(1);
console.log(`${used.length} settings are read where the table says so`);
