/** A tar of plain files, as `tar cf -` prints it. */
export function tarOf(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const blocks = files.flatMap(([path, content]) => [
    headOf(path, content.length),
    content,
    padding(content.length),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const padding = (size: number): Buffer => Buffer.alloc((512 - (size % 512)) % 512);

function headOf(path: string, size: number): Buffer {
  const head = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  head.write(path.slice(-100), 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  head.fill(' ', 148, 156); // the checksum is computed with spaces in its own field
  head.write('0', 156);
  head.write('ustar\x0000', 257, 'latin1');
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return head;
}
