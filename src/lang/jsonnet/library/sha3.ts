/** SHA3-512: Keccak on twenty-five lanes of 64 bits, here as bigints. */
const mask = (1n << 64n) - 1n;
const rate = 72;

const turnLeft = (x: bigint, by: number): bigint => ((x << BigInt(by)) | (x >> BigInt(64 - by))) & mask;

/** The constants of the rounds: bits of a shift register at places 2^j - 1. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt(2 ** j - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

/** The target of each lane and its rotation, following the path of the rho and pi steps. */
function moves(): { from: number; to: number; by: number }[] {
  const path: { from: number; to: number; by: number }[] = [];
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    const from = x + 5 * y;
    [x, y] = [y, (2 * x + 3 * y) % 5];
    path.push({ from, to: x + 5 * y, by: (((t + 1) * (t + 2)) / 2) % 64 });
  }
  return path;
}

const constants = roundConstants();
const path = moves();

function permute(start: readonly bigint[]): bigint[] {
  let lanes = [...start];
  const lane = (i: number): bigint => lanes[i] ?? 0n;
  for (const constant of constants) {
    const columns = [0, 1, 2, 3, 4].map(
      (x) => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20),
    );
    const column = (x: number): bigint => columns[x % 5] ?? 0n;
    lanes = lanes.map((value, i) => value ^ column((i % 5) + 4) ^ turnLeft(column((i % 5) + 1), 1));
    const moved = [...lanes];
    for (const { from, to, by } of path) moved[to] = turnLeft(lane(from), by);
    const at = (row: number, x: number): bigint => moved[row + (x % 5)] ?? 0n;
    lanes = moved.map((value, i) => {
      const row = i - (i % 5);
      return value ^ (~at(row, (i % 5) + 1) & mask & at(row, (i % 5) + 2));
    });
    lanes[0] = lane(0) ^ constant;
  }
  return lanes;
}

export function sha3(bytes: Uint8Array): string {
  const message = new Uint8Array(Math.ceil((bytes.length + 1) / rate) * rate);
  message.set(bytes);
  message[bytes.length] = 0x06;
  message[message.length - 1] = (message[message.length - 1] ?? 0) | 0x80;
  const view = new DataView(message.buffer);
  let lanes: bigint[] = Array.from({ length: 25 }, () => 0n);
  for (let block = 0; block < message.length; block += rate) {
    lanes = permute(
      lanes.map((lane, i) => (i * 8 < rate ? lane ^ view.getBigUint64(block + i * 8, true) : lane)),
    );
  }
  const out = new DataView(new ArrayBuffer(64));
  for (let i = 0; i < 8; i++) out.setBigUint64(i * 8, lanes[i] ?? 0n, true);
  return Array.from(new Uint8Array(out.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
