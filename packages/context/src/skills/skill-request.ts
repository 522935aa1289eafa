import { isRecord, type Schema } from '@millrace/core'

/** The input of the tool. */
export interface SkillRequest {
  readonly name: string
  /** Relative to the skill's folder. */
  readonly path?: string
  /** Line number, starting at 1. */
  readonly fromLine?: number
}

export const skillRequest: Schema<SkillRequest> = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate(value) {
      const { name, path, fromLine } = isRecord(value) ? value : {}
      if (typeof name !== 'string') return refuse('name', 'Use the name of a skill.')
      if (path !== undefined && typeof path !== 'string') return refuse('path', 'Use the path of a file.')
      if (fromLine !== undefined && !(Number.isSafeInteger(fromLine) && (fromLine as number) >= 1))
        return refuse('fromLine', 'Use an integer of at least 1.')
      return {
        value: {
          name,
          ...(path !== undefined && { path }),
          ...(fromLine !== undefined && { fromLine: fromLine as number }),
        },
      }
    },
    jsonSchema: {
      input: () => ({
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name of the skill.' },
          path: { type: 'string', description: "A file in the skill's folder. Default: SKILL.md." },
          fromLine: { type: 'integer', minimum: 1, description: 'The first line to read. Default: 1.' },
        },
        required: ['name'],
        additionalProperties: false,
      }),
    },
  },
}

function refuse(field: string, message: string): { issues: { message: string; path: string[] }[] } {
  return { issues: [{ message, path: [field] }] }
}
