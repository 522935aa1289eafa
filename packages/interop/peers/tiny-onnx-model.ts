// A text classifier of a handful of words, in ONNX and in the files that transformers.js reads.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Numbers of the fields of `onnx.proto`, version 3, as far as they are used. */
const MODEL = { irVersion: 1, graph: 7, opsetImport: 8 }
const OPSET = { domain: 1, version: 2 }
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
const NODE = { input: 1, output: 2, opType: 4, attribute: 5 }
const ATTRIBUTE = { name: 1, i: 3, ints: 8, type: 20 }
const TENSOR = { dims: 1, dataType: 2, name: 8, rawData: 9 }
const VALUE = { name: 1, type: 2 }
const [FLOAT, INT64] = [1, 7]
const [INT, INTS] = [2, 7]

type Field = [number: number, value: number | string | Uint8Array]

/** A message of protocol buffers: numbers as varints, all else with its length. */
function message(...fields: readonly Field[]): Uint8Array {
  const bytes: number[] = []
  for (const [field, value] of fields) {
    if (typeof value === 'number') {
      bytes.push(...varint(field << 3), ...varint(value))
      continue
    }
    const content = typeof value === 'string' ? new TextEncoder().encode(value) : value
    bytes.push(...varint((field << 3) | 2), ...varint(content.length), ...content)
  }
  return Uint8Array.from(bytes)
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

function tensorValue(name: string, elementType: number, dimensions: readonly string[]): Uint8Array {
  const shape = message(...dimensions.map((each): Field => [1, message([2, each])]))
  return message([VALUE.name, name], [VALUE.type, message([1, message([1, elementType], [2, shape])])])
}

/** Each word has a row of logits, and each class gets the highest of a text. */
function modelOf(rows: readonly (readonly number[])[]): Uint8Array {
  const classes = rows[0]?.length ?? 0
  const table = message(
    [TENSOR.dims, rows.length],
    [TENSOR.dims, classes],
    [TENSOR.dataType, FLOAT],
    [TENSOR.name, 'table'],
    [TENSOR.rawData, new Uint8Array(Float32Array.from(rows.flat()).buffer)],
  )
  const gather = message(
    [NODE.input, 'table'],
    [NODE.input, 'input_ids'],
    [NODE.output, 'words'],
    [NODE.opType, 'Gather'],
  )
  const highest = message(
    [NODE.input, 'words'],
    [NODE.output, 'logits'],
    [NODE.opType, 'ReduceMax'],
    [NODE.attribute, message([ATTRIBUTE.name, 'axes'], [ATTRIBUTE.ints, 1], [ATTRIBUTE.type, INTS])],
    [NODE.attribute, message([ATTRIBUTE.name, 'keepdims'], [ATTRIBUTE.i, 0], [ATTRIBUTE.type, INT])],
  )
  const graph = message(
    [GRAPH.node, gather],
    [GRAPH.node, highest],
    [GRAPH.name, 'words'],
    [GRAPH.initializer, table],
    [GRAPH.input, tensorValue('input_ids', INT64, ['batch', 'length'])],
    [GRAPH.output, tensorValue('logits', FLOAT, ['batch', 'classes'])],
  )
  return message(
    [MODEL.irVersion, 8],
    [MODEL.graph, graph],
    [MODEL.opsetImport, message([OPSET.domain, ''], [OPSET.version, 13])],
  )
}

/** Writes a model with the classes SAFE and INJECTION, to which a text with one of the words belongs. */
export function writeTinyModel(folder: string, attackWords: readonly string[]): void {
  const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...attackWords]
  const write = (name: string, content: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(content))
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  writeFileSync(
    join(folder, 'onnx/model.onnx'),
    modelOf(words.map((word) => (attackWords.includes(word) ? [1, 6] : [1, -5]))),
  )
  write('config.json', {
    model_type: 'bert',
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'SAFE', 1: 'INJECTION' },
    label2id: { SAFE: 0, INJECTION: 1 },
    vocab_size: words.length,
  })
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    unk_token: '[UNK]',
    pad_token: '[PAD]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
    model_max_length: 512,
  })
  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'BertNormalizer', clean_text: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    },
  })
}
