import type { Tool } from '../tools/tool.ts'

/** Shown to processors where the caller does not say which tool it is. */
export const UNKNOWN_TOOL: Tool = {
  inputSchema: {
    '~standard': {
      version: 1,
      vendor: 'millrace',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => ({}) },
    },
  },
}
