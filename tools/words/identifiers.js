// The names that a source file declares: variables, parameters, functions, types and the properties of its own types. Keys of object
// literals are left out, for many are the field names of a foreign format.
import ts from 'typescript';

/** As a part between capitals, in any declared name. */
const badPart =
  /^(?:worlds?|tells?|told|asks?|asked|asking|patience|surroundings|nobody|whose|shelf|shelves|remembers?|remembered|anew|heft|setbacks?)$/i;
/** As a whole name. */
const badName = /^(?:look|looks|looked|Look|Place|Placed|TreePlace|isAway|away|wentAway|blind|hurry|owed)$/;
/** A destination is no place. */
const isDestination = ({ name, type }) =>
  name?.getText() === 'place' && /\bAppDestination\b/.test(type?.getText() ?? '');

const declares = (node) =>
  ts.isVariableDeclaration(node) ||
  ts.isParameter(node) ||
  ts.isBindingElement(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isNamedTupleMember(node);

const isBad = (name) => badName.test(name) || name.split(/(?=[A-Z])|_/).some((part) => badPart.test(part));

/** The declared names that are words of the old dialect, with their offsets. */
export function badIdentifiers(file, source) {
  const found = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    const { name } = node;
    if (declares(node) && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) {
      const text = name.text.replace(/^#/, '');
      if (isBad(text) || isDestination(node)) found.push({ name: text, at: name.getStart(tree) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
