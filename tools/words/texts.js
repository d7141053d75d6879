// What people read in a source file: its comments, and its literals.
import ts from 'typescript';

const { SyntaxKind: is } = ts;
const literals = new Set([
  is.StringLiteral,
  is.NoSubstitutionTemplateLiteral,
  is.TemplateHead,
  is.TemplateMiddle,
  is.TemplateTail,
  is.JsxText,
]);

/** A literal that is only the name of something: a module, a key, a member of a type. */
const isName = (node) =>
  ts.isImportDeclaration(node.parent) ||
  ts.isExportDeclaration(node.parent) ||
  ts.isIndexedAccessTypeNode(node.parent.parent ?? node.parent) ||
  ts.isElementAccessExpression(node.parent) ||
  (ts.isPropertyAssignment(node.parent) && node.parent.name === node);

/** The comments, and the literals that are not names, with their offsets. */
export function textsOf(file, source) {
  const comments = new Map();
  const texts = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of node.kind === is.JsxText ? [] : ranges)
      comments.set(pos, { kind: 'comments', text: source.slice(pos, end), at: pos });
    if (literals.has(node.kind) && !isName(node))
      texts.push({ kind: 'texts', text: node.getText(tree), at: node.getStart(tree) });
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...comments.values(), ...texts];
}

export const lineOf = (source, at) => source.slice(0, at).split('\n').length;
