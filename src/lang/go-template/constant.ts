import { type GoType, isSigned, isUnsigned } from './go-type.ts';
import { type Node, type NumberNode, nodeText } from './nodes.ts';
import type { Scope } from './scope.ts';
import { GoComplex, integer, type Value } from './value.ts';

const isHexInteger = (text: string): boolean => /^0[xX]./.test(text) && !/[pP]/.test(text);

/** A number where any type will do: its spelling decides (compat sources HT-4). */
export function constant(self: Scope, node: NumberNode): Value {
  self.at(node);
  const { text, int, uint, float, complex } = node.number;
  if (complex) return new GoComplex(complex[0], complex[1]);
  const isFloat = float !== undefined && !isHexInteger(text) && !text.startsWith("'") && /[.eEpP]/.test(text);
  if (isFloat) return float;
  if (int !== undefined) return int;
  return uint === undefined ? undefined : self.fail(`${text} overflows int`);
}

/** A literal for a parameter of this type. */
export function argumentOf(self: Scope, type: GoType, node: Node): Value {
  switch (type.kind) {
    case 'bool':
      return node.kind === 'bool' ? node.value : self.fail(`expected bool; found ${nodeText(node)}`);
    case 'string':
      return node.kind === 'string' ? node.text : self.fail(`expected string; found ${nodeText(node)}`);
    case 'float64':
      if (node.kind === 'number' && node.number.float !== undefined) return node.number.float;
      return self.fail(`expected float; found ${nodeText(node)}`);
    case 'interface':
    case 'reflect':
      return anyLiteral(self, node);
    default:
      return integerArgument(self, type, node);
  }
}

function integerArgument(self: Scope, type: GoType, node: Node): Value {
  if (isSigned(type.kind)) {
    if (node.kind === 'number' && node.number.int !== undefined) return integer(type, node.number.int);
    self.fail(`expected integer; found ${nodeText(node)}`);
  }
  if (isUnsigned(type.kind)) {
    if (node.kind === 'number' && node.number.uint !== undefined) return integer(type, node.number.uint);
    self.fail(`expected unsigned integer; found ${nodeText(node)}`);
  }
  return self.fail(`can't handle ${nodeText(node)} for arg of type ${type.name}`);
}

function anyLiteral(self: Scope, node: Node): Value {
  self.at(node);
  if (node.kind === 'bool') return node.value;
  if (node.kind === 'string') return node.text;
  if (node.kind === 'number') return constant(self, node);
  return self.fail(`can't handle assignment of ${nodeText(node)} to empty interface argument`);
}
