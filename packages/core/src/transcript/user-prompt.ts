import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ReasoningFilePart,
  SharedV4FileData,
} from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import { fromDataUrl } from '../messages/data-url.ts'
import type { FilePart, MessagePart, ProviderMetadata } from '../messages/message.ts'

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content']

/** Converts the parts of a user message to prompt messages. */
export function userPrompt(parts: readonly MessagePart[]): LanguageModelV4Message[] {
  const content: UserContent = []
  for (const part of parts) {
    if (part.type === 'text') content.push({ type: 'text', text: part.text, ...providerOptionsOf(part) })
    else if (part.type === 'file') content.push(filePart(part))
  }
  return content.length === 0 ? [] : [{ role: 'user', content }]
}

export function filePart(part: FilePart): LanguageModelV4FilePart {
  const { mediaType, filename, url, providerReference } = part
  const data: SharedV4FileData = providerReference
    ? { type: 'reference', reference: providerReference }
    : locate(url)
  return {
    type: 'file',
    mediaType,
    ...(filename !== undefined && { filename }),
    data,
    ...providerOptionsOf(part),
  }
}

/** Hosted files are passed to the provider by URL: the agent does not fetch them. */
export function locate(url: string): LanguageModelV4ReasoningFilePart['data'] {
  try {
    const inline = fromDataUrl(url)
    return inline
      ? { type: 'data', data: inline.base64 }
      : { type: 'url', url: new URL(url), originalUrl: url }
  } catch (cause) {
    throw new MillraceError(
      'RUN_INPUT_INVALID',
      `A file part has the URL '${url.slice(0, 60)}', which is neither an absolute URL nor a valid data URL. Use one of these.`,
      { cause },
    )
  }
}

export function providerOptionsOf(part: { providerMetadata?: ProviderMetadata }): {
  providerOptions?: ProviderMetadata
} {
  return part.providerMetadata ? { providerOptions: part.providerMetadata } : {}
}
