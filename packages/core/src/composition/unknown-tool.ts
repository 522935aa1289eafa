import type { Tool } from '../tools/tool.ts'

/** The tool that processors receive if the caller does not pass one. */
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
