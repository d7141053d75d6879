import { FairleadError } from '#base/std';
import type { CompiledText } from './flat-text.ts';

export function compileGo(text: string): CompiledText | undefined {
  if (!text.includes('{{')) return undefined;
  throw new FairleadError('InvalidSpec', 'not supported yet: goTemplate');
}
