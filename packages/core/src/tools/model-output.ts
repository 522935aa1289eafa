import type { JSONValue, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import { hasCode, messageOf } from '../errors.ts'
import { isJson } from '../messages/json-output.ts'
import { type ProviderMetadata, type ToolPart, toolNameOf } from '../messages/message.ts'
import { isRecord } from '../record.ts'
import { readSignal } from '../signals.ts'
import { withStructuredContent } from './mcp-result.ts'
import { ownTool, type Tool, type ToolSet } from './tool.ts'
import type {
  ToolContentItem,
  ToolFileData,
  ToolModelOutput,
  WithProviderOptions,
} from './tool-model-output.ts'

type V4Content = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value']

/**
 * The output of a call as the model receives it: the result of the tool's `toModelOutput`, otherwise a string as text
 * and anything else as JSON. If that fails, the model receives an error.
 */
export function modelOutput(
  part: Extract<ToolPart, { state: 'output-available' }>,
  tools: ToolSet,
): LanguageModelV4ToolResultOutput | Promise<LanguageModelV4ToolResultOutput> {
  const { output } = part
  const tool = ownTool(tools, toolNameOf(part))
  try {
    if (tool?.toModelOutput) return ownOutput(part, tool)
    if (typeof output === 'string') return { type: 'text', value: output }
    if (isContentOutput(output)) return toV4(output)
    // Fails here if it is not JSON, so that the model receives an error and the run does not fail at the provider.
    if (!isJson(output)) JSON.stringify(output)
    return { type: 'json', value: (output ?? null) as JSONValue }
  } catch (error) {
    return failure(part, error)
  }
}

async function ownOutput(
  part: Extract<ToolPart, { state: 'output-available' }>,
  tool: Tool,
): Promise<LanguageModelV4ToolResultOutput> {
  const { toolCallId, input, output } = part
  try {
    return toV4(await viewOf(tool, { toolCallId, input, output }))
  } catch (error) {
    const signal = readSignal(error)
    if (signal) throw signal
    // Errors of processors end the run. Errors of `toModelOutput` do not.
    if (hasCode(error, 'PROCESSOR_')) throw error
    return failure(part, error)
  }
}

type View = NonNullable<Tool['toModelOutput']>

/** Views that processors have seen. Nothing is added to them. */
const reviewed = new WeakSet<View>()

export function asReviewed(view: View): View {
  reviewed.add(view)
  return view
}

/** What the tool's `toModelOutput` returns, with the structured content of an MCP result. */
export async function viewOf(tool: Tool, answered: Parameters<View>[0]): Promise<ToolModelOutput> {
  const view = (await tool.toModelOutput?.(answered)) as ToolModelOutput
  return reviewed.has(tool.toModelOutput as View) ? view : withStructuredContent(view, answered.output)
}

function failure(part: ToolPart, error: unknown): LanguageModelV4ToolResultOutput {
  return viewFailure(toolNameOf(part), error)
}

/** The output for the model if `toModelOutput` has failed. */
export function viewFailure(
  toolName: string,
  error: unknown,
): LanguageModelV4ToolResultOutput & { type: 'error-text' } {
  const why = messageOf(error)
  return { type: 'error-text', value: `The output of '${toolName}' could not be shown: ${why}` }
}

const CONTENT_TYPES: ReadonlySet<unknown> = new Set<ToolContentItem['type']>([
  'text',
  'file',
  'file-data',
  'image-data',
  'file-url',
  'image-url',
  'file-id',
  'image-file-id',
  'file-reference',
  'image-file-reference',
  'custom',
])

/** Whether the output is already prompt content, as in model messages with `content` results. */
function isContentOutput(output: unknown): output is Extract<ToolModelOutput, { type: 'content' }> {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) return false
  return output.value.every((item) => isRecord(item) && CONTENT_TYPES.has(item.type))
}

function toV4(output: ToolModelOutput): LanguageModelV4ToolResultOutput {
  if (output.type !== 'content') return output as LanguageModelV4ToolResultOutput
  return { ...optionsOf(output), type: 'content', value: output.value.map(toV4Item) }
}

function toV4Item(item: ToolContentItem): V4Content[number] {
  const options = optionsOf(item)
  switch (item.type) {
    case 'text':
      return { type: 'text', text: item.text, ...options }
    case 'custom':
      return { type: 'custom', ...options }
    case 'file': {
      const { mediaType, filename, data } = item
      const bytes =
        data.type === 'data' && data.data instanceof ArrayBuffer ? new Uint8Array(data.data) : undefined
      const location = (bytes ? { type: 'data', data: bytes } : data) as Exclude<
        ToolFileData,
        { data: ArrayBuffer }
      >
      return { type: 'file', mediaType, ...nameOf(filename), data: location as FileItem['data'], ...options }
    }
    case 'file-data':
    case 'image-data': {
      const { data, mediaType, filename } = item
      return { type: 'file', mediaType, ...nameOf(filename), data: { type: 'data', data }, ...options }
    }
    case 'file-url':
    case 'image-url': {
      const mediaType = item.mediaType ?? (item.type === 'image-url' ? 'image' : 'application/octet-stream')
      const url = new URL(item.url)
      return { type: 'file', mediaType, data: { type: 'url', url, originalUrl: item.url }, ...options }
    }
    case 'file-id':
    case 'image-file-id': {
      const mediaType = item.type === 'image-file-id' ? 'image' : 'application'
      if (typeof item.fileId === 'string') {
        throw new Error(`a ${item.type} needs its provider: use { fileId: { [provider]: id } }`)
      }
      return { type: 'file', mediaType, data: { type: 'reference', reference: item.fileId }, ...options }
    }
    case 'file-reference':
    case 'image-file-reference': {
      const mediaType = item.type === 'image-file-reference' ? 'image' : 'application'
      return {
        type: 'file',
        mediaType,
        data: { type: 'reference', reference: item.providerReference },
        ...options,
      }
    }
    default:
      throw new Error(`unknown content of type '${String((item as { type: unknown }).type)}'`)
  }
}

type FileItem = Extract<V4Content[number], { type: 'file' }>

function optionsOf({ providerOptions }: WithProviderOptions): { providerOptions?: ProviderMetadata } {
  return providerOptions ? { providerOptions } : {}
}

function nameOf(filename: string | undefined): { filename?: string } {
  return filename === undefined ? {} : { filename }
}
