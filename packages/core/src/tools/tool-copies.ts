import { copyData } from '../copy-data.ts'
import { ownTool, type Tool, type ToolSet } from './tool.ts'

/** What a tool may have, also by its class: there it may need the tool itself, with its private fields. */
const KNOWN: readonly (keyof Tool)[] = [
  'type',
  'description',
  'title',
  'inputSchema',
  'outputSchema',
  'execute',
  'onInputStart',
  'onInputAvailable',
  'toModelOutput',
  'needsApproval',
  'strict',
  'inputExamples',
  'providerOptions',
  'metadata',
  'id',
  'args',
  'isProviderExecuted',
]

/** Objects of libraries, which cannot be copied. */
const SCHEMAS: ReadonlySet<PropertyKey> = new Set(['inputSchema', 'outputSchema'])

type Fields = Record<PropertyKey, unknown>

/** Copies by hooks' hands, with what they were made of and how they were then. */
const copies = new WeakMap<object, { tool: Tool; fields: Fields }>()

/** A tool that a hook may change: no other run, and no other step, has it. Its schemas are shared. */
export function copyTool(tool: Tool): Tool {
  const prototype = Object.getPrototypeOf(tool)
  const copy: Fields = Object.create(prototype)
  const fields: Fields = {}
  for (const key of Reflect.ownKeys(tool)) take(key)
  if (prototype !== Object.prototype) for (const key of KNOWN) if (key in tool && !(key in fields)) take(key)
  copies.set(copy, { tool, fields })
  return copy as unknown as Tool

  function take(key: PropertyKey): void {
    const value = copyField(tool, key)
    fields[key] = value
    Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true })
  }
}

function copyField(tool: Tool, key: PropertyKey): unknown {
  const value = (tool as unknown as Fields)[key]
  if (SCHEMAS.has(key)) return value
  return typeof value === 'function' ? value.bind(tool) : copyData(value)
}

export function copyTools(tools: ToolSet): ToolSet {
  return mapTools(tools, copyTool)
}

/** The tools as hooks left them: of a copy that nobody changed, the tool it is a copy of. */
export function settleTools(tools: ToolSet): ToolSet {
  return mapTools(tools, settleTool)
}

function settleTool(tool: Tool): Tool {
  const known = copies.get(tool)
  return known && isUnchanged(tool as unknown as Fields, known) ? known.tool : tool
}

function isUnchanged(copy: Fields, { tool, fields }: { tool: Tool; fields: Fields }): boolean {
  const keys = Reflect.ownKeys(copy)
  return (
    keys.length === Reflect.ownKeys(fields).length &&
    keys.every((key) => {
      const value = copy[key]
      if (value !== fields[key]) return false
      const isData = typeof value === 'object' && value !== null && !SCHEMAS.has(key)
      return !isData || isSameData(value, (tool as unknown as Fields)[key])
    })
  )
}

function isSameData(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other)
  } catch {
    return false
  }
}

function mapTools(tools: ToolSet, map: (tool: Tool) => Tool): ToolSet {
  return Object.fromEntries(
    Object.keys(tools).map((name) => {
      const tool = ownTool(tools, name) as Tool
      return [name, typeof tool === 'object' && tool !== null ? map(tool) : tool]
    }),
  )
}
