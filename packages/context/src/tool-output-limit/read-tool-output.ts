import { isRecord, MillraceError, type Schema, type Tool } from '@millrace/core'

export const READ_TOOL_OUTPUT = 'read_tool_output'

export interface ReadToolOutputInput {
  /** The id of the tool call. */
  readonly id: string
  /** The offset of the first character. Default: 0. */
  readonly offset?: number
  /** The maximum number of characters. Default: as many as fit. */
  readonly length?: number
}

/** A part of an output that was cut, with offsets in characters; or an error. */
export type ReadToolOutputOutput =
  | {
      readonly id: string
      readonly offset: number
      /** The offset after the part. The next read starts there. */
      readonly end: number
      /** The length of the whole output. */
      readonly total: number
      readonly text: string
    }
  | { readonly error: string }

const inputSchema: Schema<ReadToolOutputInput> = {
  _type: { id: '' },
  jsonSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The id in the note where something was left out' },
      offset: { type: 'integer', minimum: 0, description: 'The first character to read; default 0' },
      length: { type: 'integer', minimum: 1, description: 'How many characters to read at most' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  validate(value) {
    if (!isRecord(value) || typeof value.id !== 'string') return invalid("'id' must be a text")
    const { id, offset, length } = value
    if (offset !== undefined && !isCount(offset, 0))
      return invalid("'offset' must be an integer of at least 0")
    if (length !== undefined && !isCount(length, 1))
      return invalid("'length' must be an integer of at least 1")
    return {
      success: true,
      value: {
        id,
        ...(offset !== undefined && { offset: offset as number }),
        ...(length !== undefined && { length: length as number }),
      },
    }
  },
}

/** The tool as the model sees it. The processor handles its calls. */
export const readToolOutput: Tool<ReadToolOutputInput, ReadToolOutputOutput> = {
  description:
    'Reads a part of a tool output that was too long to be shown whole. The note in that output says its id and what was left out.',
  inputSchema,
  execute() {
    throw new MillraceError(
      'CONFIG_INVALID',
      `'${READ_TOOL_OUTPUT}' was called without its processor. Add the ToolOutputLimit to the agent's processors.`,
    )
  },
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least
}

function invalid(what: string): { success: false; error: Error } {
  return { success: false, error: new Error(what) }
}
