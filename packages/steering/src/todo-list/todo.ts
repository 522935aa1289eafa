import { isRecord, type Schema } from '@millrace/core'

const STATUSES = ['pending', 'in_progress', 'completed'] as const

export type TodoStatus = (typeof STATUSES)[number]

/** One item of a plan. */
export interface Todo {
  /** A single line. */
  readonly content: string
  readonly status: TodoStatus
}

export interface TodoLimits {
  maxTodos: number
  /** The maximum number of characters of a todo. */
  maxLength: number
}

/** The todos in a tool's input, or an error message for the model. */
export function parseTodos(input: unknown, { maxTodos, maxLength }: TodoLimits): Todo[] | string {
  const given = isRecord(input) ? input.todos : undefined
  if (!Array.isArray(given)) return 'todos must be a list of objects with content and status.'
  if (given.length > maxTodos)
    return `The list has ${given.length} todos, and holds at most ${maxTodos}. Join small ones.`
  const todos: Todo[] = []
  for (const [index, entry] of given.entries()) {
    const which = `The todo ${index + 1}`
    if (!isRecord(entry) || typeof entry.content !== 'string')
      return `${which} has no content. Say what to do.`
    const { status } = entry
    if (!isStatus(status)) return `${which} has no status of: ${STATUSES.join(', ')}.`
    // Checked before white space is collapsed, which takes longer.
    if (entry.content.length > maxLength)
      return `${which} has ${entry.content.length} characters, and may have ${maxLength}. Shorten it.`
    const content = entry.content.trim().replace(/\s+/g, ' ')
    if (content === '') return `${which} is empty. Say what to do, or leave it out.`
    todos.push({ content, status })
  }
  return todos
}

function isStatus(status: unknown): status is TodoStatus {
  return STATUSES.includes(status as TodoStatus)
}

const MARKS: Readonly<Record<TodoStatus, string>> = { pending: '[ ]', in_progress: '[~]', completed: '[x]' }

/** One line per todo. None of them can close the element around them. */
export function renderTodos(todos: readonly Todo[], tag: string): string {
  const end = new RegExp(`<(?=\\s{0,9}/?\\s{0,9}${tag})`, 'gi')
  return todos.map(({ content, status }) => `${MARKS[status]} ${content.replace(end, '&lt;')}`).join('\n')
}

/** The input schema of the tool. */
export function todosSchema(limits: TodoLimits): Schema<{ todos: Todo[] }> {
  return {
    '~standard': {
      version: 1,
      vendor: 'millrace',
      validate(value) {
        const todos = parseTodos(value, limits)
        return typeof todos === 'string'
          ? { issues: [{ message: todos, path: ['todos'] }] }
          : { value: { todos } }
      },
      jsonSchema: {
        input: () => ({
          type: 'object',
          properties: {
            todos: {
              type: 'array',
              description: 'The whole list, in order.',
              maxItems: limits.maxTodos,
              items: {
                type: 'object',
                properties: {
                  content: {
                    type: 'string',
                    description: 'What to do, in one line.',
                    maxLength: limits.maxLength,
                  },
                  status: { type: 'string', enum: [...STATUSES] },
                },
                required: ['content', 'status'],
                additionalProperties: false,
              },
            },
          },
          required: ['todos'],
          additionalProperties: false,
        }),
      },
    },
  }
}
