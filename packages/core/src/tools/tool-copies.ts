import { copyData } from '../copy-data.ts'
import { ownTool, type Tool, type ToolSet } from './tool.ts'

/**
 * The properties of a tool, including inherited ones: methods of a class may need the tool itself as `this`, with its
 * private fields.
 */
const KNOWN: readonly (keyof Tool)[] = [
  'type',
  'description',
  'title',
  'inputSchema',
  'outputSchema',
  'execute',
  'onInputStart',
  'onInputAvailable',
  'retryable',
  'maxRetries',
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

/** Objects of schema libraries, which cannot be copied. */
const SCHEMAS: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema'])

type Fields = Record<string, unknown>

/**
 * Copies that hooks received, with the original tool and the fields at that time. Not a `PerRun`: a user's tool may be a
 * proxy that fails for symbols.
 */
const copies = new WeakMap<object, { tool: Tool; fields: Fields }>()

/** A copy of a tool that a hook may change without affecting other runs or steps. Schemas are shared. */
export function copyTool(tool: Tool): Tool {
  const prototype = Object.getPrototypeOf(tool)
  const fields: Fields = { ...tool }
  if (prototype !== Object.prototype) {
    for (const key of KNOWN) if (key in tool && !(key in fields)) fields[key] = tool[key]
  }
  for (const key in fields) {
    const value = fields[key]
    if (SCHEMAS.has(key)) continue
    if (typeof value === 'function') fields[key] = value.bind(tool)
    else if (isObject(value)) fields[key] = copyData(value)
  }
  const copy = prototype === Object.prototype ? { ...fields } : withPrototype(prototype, fields)
  copies.set(copy, { tool, fields })
  return copy as unknown as Tool
}

/** Does not assign, because a class may have getters with these names. */
function withPrototype(prototype: object | null, fields: Fields): object {
  return Object.create(prototype, Object.getOwnPropertyDescriptors(fields))
}

/** Sets of tools that hooks received, with the original set and the tools after the hooks. */
const sets = new WeakMap<ToolSet, { given: ToolSet; left: ToolSet }>()

/**
 * A set of tools that a hook may change. A tool is copied when it is first accessed, because most hooks access few or
 * none.
 */
export function copyTools(given: ToolSet): ToolSet {
  const left: ToolSet = { ...given }
  const touch = (name: string | symbol): void => {
    if (typeof name !== 'string') return
    const tool = ownTool(left, name)
    if (tool !== undefined && tool === ownTool(given, name) && isObject(tool)) left[name] = copyTool(tool)
  }
  const tools = new Proxy(left, {
    get(target, name, receiver) {
      touch(name)
      return Reflect.get(target, name, receiver)
    },
    getOwnPropertyDescriptor(target, name) {
      touch(name)
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
  })
  sets.set(tools, { given, left })
  return tools
}

/** The tools after the hooks. An unchanged copy is replaced by the original tool. */
export function settleTools(tools: ToolSet): ToolSet {
  const known = sets.get(tools)
  const left = known?.left ?? tools
  const names = Object.keys(left)
  const settled = names.map((name): [string, Tool] => [name, settleTool(ownTool(left, name) as Tool)])
  const isSame =
    known !== undefined &&
    names.length === Object.keys(known.given).length &&
    settled.every(([name, tool]) => tool === ownTool(known.given, name))
  return isSame ? known.given : Object.fromEntries(settled)
}

function settleTool(tool: Tool): Tool {
  const known = isObject(tool) ? copies.get(tool) : undefined
  return known && isUnchanged(tool as unknown as Fields, known) ? known.tool : tool
}

function isUnchanged(copy: Fields, { tool, fields }: { tool: Tool; fields: Fields }): boolean {
  const keys = Object.keys(copy)
  return (
    keys.length === Object.keys(fields).length &&
    keys.every((key) => {
      const value = copy[key]
      if (value !== fields[key]) return false
      return !isObject(value) || SCHEMAS.has(key) || isSameData(value, tool[key as keyof Tool])
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
