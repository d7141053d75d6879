/**
 * How the table of messages is read. A line `# name package` begins a package; any other is a message: its name, then its fields in
 * the order of their numbers:
 *
 *     json=proto:type flag #number
 *
 * json     the name in JSON; `=proto` the one in the .proto file where it is another. Empty: an embedded struct, which is a message
 *          here and whose fields stand in the object around it in JSON
 * type     s string · b boolean · i int32 · l int64 · B bytes · T time · M time with microseconds · X int-or-string ·
 *          R any JSON, as text in a message · [t list · {t map from strings · Name or package.Name
 * flag     ^ pointer: absent and zero are two things · ! required: always written · ? left out when zero; none: Go holds it by
 *          value and writes it, zero or not
 */
export type ScalarLetter = 's' | 'b' | 'i' | 'l' | 'B' | 'T' | 'M' | 'X' | 'R';

export type FieldType =
  | { readonly kind: 'scalar'; readonly letter: ScalarLetter }
  | { readonly kind: 'list'; readonly items: FieldType }
  | { readonly kind: 'map'; readonly values: FieldType }
  | { readonly kind: 'message'; readonly message: MessageType };

export type MessageField = {
  /** Empty: the fields of the message stand in the object itself. */
  readonly json: string;
  readonly proto: string;
  readonly number: number;
  readonly type: FieldType;
  readonly isPointer: boolean;
  readonly isRequired: boolean;
  /** Written although it is absent: required, or a value of Go. */
  readonly isAlways: boolean;
};

export type MessageType = {
  /** With its package, as the .proto file declares it. */
  readonly name: string;
  /** Sorted by number. */
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
};

const fieldPattern = /^([^=:]*)(?:=([^:]+))?:([^^!?#]+)([\^!?]?)#(\d+)$/;
const scalarLetters = new Set('sbilBTMXR');

/** A message of the table, by `package.Name` with the table's short name of the package. Throws when there is none. */
export type FindMessage = (name: string) => MessageType;

/** Reads a table; a message is made of its line when it is first needed. */
export function readMessages(text: string): {
  readonly names: readonly string[];
  readonly find: FindMessage;
} {
  const lines = new Map<
    string,
    { readonly home: string; readonly full: string; readonly fields: string[] }
  >();
  let [home, full] = ['', ''];
  for (const line of text.split('\n')) {
    const [name = '', ...fields] = line.split(' ');
    if (name === '#') [home = '', full = ''] = fields;
    else if (name !== '') lines.set(`${home}.${name}`, { home, full: `${full}.${name}`, fields });
  }
  const made = new Map<string, MessageType>();
  const find: FindMessage = (name) => {
    const known = made.get(name);
    if (known) return known;
    const line = lines.get(name);
    if (!line) throw new Error(`there is no message ${name}`);
    const message = readMessage(line.full, () =>
      line.fields.map((field) => readField(field, line.home, find)),
    );
    made.set(name, message);
    return message;
  };
  return { names: [...lines.keys()], find };
}

/** The fields are read when they are needed, so that a message may contain itself. */
function readMessage(name: string, read: () => MessageField[]): MessageType {
  let fields: readonly MessageField[] | undefined;
  let byNumber: ReadonlyMap<number, MessageField> | undefined;
  return {
    name,
    get fields() {
      fields ??= read();
      return fields;
    },
    get byNumber() {
      byNumber ??= new Map(this.fields.map((field) => [field.number, field]));
      return byNumber;
    },
  };
}

function readField(text: string, home: string, find: FindMessage): MessageField {
  const [, json = '', proto, token = '', flag = '', number] = fieldPattern.exec(text) ?? [];
  const type = typeOf(token, home, find);
  return {
    json,
    proto: proto ?? json,
    number: Number(number),
    type,
    isPointer: flag === '^',
    isRequired: flag === '!',
    isAlways: flag === '!' || (flag === '' && type.kind !== 'list' && type.kind !== 'map'),
  };
}

function typeOf(token: string, home: string, find: FindMessage): FieldType {
  const rest = token.slice(1);
  if (token.startsWith('[')) return { kind: 'list', items: typeOf(rest, home, find) };
  if (token.startsWith('{')) return { kind: 'map', values: typeOf(rest, home, find) };
  if (scalarLetters.has(token)) return { kind: 'scalar', letter: token as ScalarLetter };
  const name = token.includes('.') ? token : `${home}.${token}`;
  let found: MessageType | undefined;
  return {
    kind: 'message',
    get message() {
      found ??= find(name);
      return found;
    },
  };
}
