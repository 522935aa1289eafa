import { isRecord, type Message, textOfParts } from '@millrace/core'
import type { FlatUserMessage } from './codebolt-message.ts'
import { codeboltRun, type RunArgs } from './codebolt-run.ts'

/**
 * The user's message. Its text is the one before adapted objects changed it. Changes by other processors,
 * such as a redaction, are kept.
 */
export function originalRequest(args: RunArgs): FlatUserMessage {
  const { requestContext, messageList } = args
  const { original } = codeboltRun(args)
  const message = messageList.get('input').findLast(({ role }) => role === 'user')
  const parts = message?.content.parts ?? []
  const now = textOfParts(parts)
  const isOurs = original !== undefined && original.id === message?.id && original.changed === now
  const lookUp = (name: string): unknown => message?.content.metadata?.[name] ?? requestContext.get(name)
  const list = (name: string): string[] => {
    const value = lookUp(name)
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  }
  const agent = lookUp('selectedAgent')
  const activeFile = lookUp('activeFile')
  const selection = lookUp('selection')
  return {
    userMessage: isOurs ? original.text : now,
    messageId: message?.id ?? '',
    threadId: requestContext.threadId ?? '',
    mentionedFiles: list('mentionedFiles'),
    mentionedFullPaths: list('mentionedFullPaths'),
    mentionedFolders: list('mentionedFolders'),
    uploadedImages: parts.flatMap((part) =>
      part.type === 'file' && part.mediaType.startsWith('image') ? [part.url] : [],
    ),
    selectedAgent: isRecord(agent)
      ? { ...agent, id: String(agent.id ?? ''), name: String(agent.name ?? '') }
      : { id: '', name: '' },
    ...(typeof activeFile === 'string' && { activeFile }),
    ...(lookUp('openedFiles') !== undefined && { openedFiles: list('openedFiles') }),
    ...(selection !== undefined && { selection }),
  }
}

/** Records that an adapted object changed the user's message, whose text was `text`. */
export function recordOriginal(
  args: RunArgs,
  { id, text, messages }: { id: string; text: string; messages: readonly Message[] },
): void {
  const message = messages.find((candidate) => candidate.id === id)
  if (!message) return
  const changed = textOfParts(message.content.parts)
  if (changed !== text) codeboltRun(args).original = { id, text, changed }
}
