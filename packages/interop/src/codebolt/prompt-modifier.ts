import {
  isRecord,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  requireOptions,
} from '@millrace/core'
import {
  ADAPTER_OPTIONS,
  type AdapterOptions,
  identityOf,
  type MaybePromise,
  requireMethod,
} from '../adapter/adapter.ts'
import { definitionsOf, type ToolDefinition, withTools } from '../adapter/tool-definition.ts'
import { addNew } from '../adapter/transcript.ts'
import { linesOf } from '../lines/lines-of-messages.ts'
import { rewrite } from '../lines/messages-of-lines.ts'
import { chatOf, readChat } from './chat-message.ts'
import { type OpenRequest, readTool, settingChanges } from './chat-request.ts'
import type { FlatUserMessage, ProcessedMessage } from './codebolt-message.ts'
import { codeboltRun, keepMetadata, recordSentPrompt } from './codebolt-run.ts'
import { originalRequest, recordOriginal } from './flat-user-message.ts'

/**
 * Codebolt's `MessageModifier`: builds the prompt, once per run. It may change its argument and return it, or
 * return a new prompt.
 */
export interface PromptModifier {
  modify(
    originalRequest: FlatUserMessage,
    createdMessage: ProcessedMessage,
  ): MaybePromise<ProcessedMessage | undefined>
}

/**
 * Runs a Codebolt `MessageModifier` in `processInput`. Messages that it adds are context: they are sent to
 * the model and not stored. Its tools and settings apply to every call of the run. `createdMessage` starts
 * with the run's messages and without tools: the agent's own tools are always available.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function promptModifier(modifier: PromptModifier, given: AdapterOptions = {}): Processor {
  const options = requireOptions('promptModifier()', given, ADAPTER_OPTIONS)
  requireMethod(modifier, ['modify'], 'promptModifier')
  return {
    ...identityOf(options, 'prompt-modifier'),

    async processInput(args) {
      const known = linesOf(args.messages, args.systemMessages)
      const handed = known.map(({ line }) => chatOf(line))
      const request = originalRequest(args)
      const { messageId: id, userMessage: text } = request
      const created: ProcessedMessage = {
        message: { messages: [...handed], tools: [], stream: true },
        metadata: codeboltRun(args).metadata,
      }
      const returned = (await modifier.modify(request, created)) ?? created
      keepMetadata(args, returned.metadata)
      keepSettings(args, returned)
      const rewritten = rewrite(known, readChat(known, handed, returned.message.messages))
      if (!rewritten.isChanged) return undefined
      const { messages, systemMessages } = rewritten
      recordOriginal(args, { id, text, messages })
      addNew(args.messageList, { ...rewritten, trailing: 'context' })
      return { messages, systemMessages }
    },

    async processInputStep(args) {
      const changes = await settingsOf(args)
      recordSentPrompt({ ...args, ...changes } as ProcessInputStepArgs)
      return changes
    },
  }
}

/** The modifier's settings for the following calls. JSON, so that a resumed run has them again. */
interface PromptSettings {
  tools: ToolDefinition[]
  settings: OpenRequest['settings']
}

function keepSettings({ state }: ProcessInputArgs, { message }: ProcessedMessage): void {
  const { tools = [], tool_choice, max_tokens, temperature } = message
  const settings = {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(max_tokens !== undefined && { max_tokens }),
    ...(temperature !== undefined && { temperature }),
  }
  if (tools.length === 0 && Object.keys(settings).length === 0) return
  state.prompt = { tools: tools.map(readTool), settings } satisfies PromptSettings
}

async function settingsOf(args: ProcessInputStepArgs): Promise<ProcessInputStepResult> {
  if (!isRecord(args.state.prompt)) return {}
  const { tools, settings } = args.state.prompt as unknown as PromptSettings
  const { maxOutputTokens, temperature } = args.modelSettings
  const before = {
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  }
  const known = tools.length === 0 ? [] : await definitionsOf(args)
  return {
    ...(tools.length > 0 && withTools(args, known, [...known, ...tools])),
    ...settingChanges(args, before, { ...before, ...settings }),
  }
}
