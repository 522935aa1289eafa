import { type ProcessInputStepArgs, type Processor, requireOptions } from '@millrace/core'
import {
  ADAPTER_OPTIONS,
  type AdapterOptions,
  identityOf,
  type MaybePromise,
  requireMethod,
} from '../adapter/adapter.ts'
import { reviewOf } from '../adapter/transcript.ts'
import { chatTool, openRequest, requestChanges } from './chat-request.ts'
import type { FlatUserMessage, LLMCompletion, ProcessedMessage } from './codebolt-message.ts'
import { codeboltRun, keepMetadata, recordSentPrompt } from './codebolt-run.ts'
import { editResponse, openCompletion } from './completion.ts'
import { originalRequest } from './flat-user-message.ts'
import { openNextPrompt, readNextPrompt, sentPrompt, watchRequest, writeNextPrompt } from './next-prompt.ts'

/** Codebolt's `PreInferenceProcessor`: changes the final prompt, before every call. */
export interface PreInferenceProcessor {
  modify(
    originalRequest: FlatUserMessage,
    createdMessage: ProcessedMessage,
  ): MaybePromise<ProcessedMessage | undefined>
}

/**
 * Runs a Codebolt `PreInferenceProcessor` in `processInputStep`. Its changes apply to this call only: the
 * transcript is not changed, and the next call starts from it again. `tools` are the tools that the call may
 * use. A name without a tool of the agent becomes a tool that runs at the client.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function preInference(processor: PreInferenceProcessor, given: AdapterOptions = {}): Processor {
  const options = requireOptions('preInference()', given, ADAPTER_OPTIONS)
  requireMethod(processor, ['modify'], 'preInference')
  return {
    ...identityOf(options, 'pre-inference'),
    async processInputStep(args) {
      const open = await openRequest(args)
      const tools = structuredClone(open.definitions).map(chatTool)
      const created: ProcessedMessage = {
        message: { messages: [...open.handed], tools, ...open.settings, stream: true },
        metadata: codeboltRun(args).metadata,
      }
      const returned = (await processor.modify(originalRequest(args), created)) ?? created
      keepMetadata(args, returned.metadata)
      const changes = requestChanges(args, open, returned.message)
      recordSentPrompt({ ...args, ...changes } as ProcessInputStepArgs)
      return changes
    },
  }
}

/**
 * Codebolt's `PostInferenceProcessor`: receives the response, with the transcript that it was added to,
 * before its tools run.
 */
export interface PostInferenceProcessor {
  modify(
    llmMessageSent: ProcessedMessage,
    llmResponseMessage: LLMCompletion,
    nextPrompt: ProcessedMessage,
  ): MaybePromise<ProcessedMessage | undefined>
}

/**
 * Runs a Codebolt `PostInferenceProcessor` in `processOutputStep`. Changes of `nextPrompt` are written to the
 * transcript, and changes of the response, in either place, to the response: its text, and rewritten or
 * removed calls. New calls are rejected. Put it into `processors`: in `outputProcessors` alone it cannot see
 * the tools of the request.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function postInference(processor: PostInferenceProcessor, given: AdapterOptions = {}): Processor {
  const options = requireOptions('postInference()', given, ADAPTER_OPTIONS)
  requireMethod(processor, ['modify'], 'postInference')
  return {
    ...identityOf(options, 'post-inference'),
    processInputStep: watchRequest,
    async processOutputStep(args) {
      const open = await openNextPrompt(args)
      const completion = openCompletion(args)
      const returned = await processor.modify(await sentPrompt(args), completion.value, open.prompt)
      const edited = readNextPrompt(args, open, returned ?? open.prompt)
      const isChanged = writeNextPrompt(args, open, editResponse(edited, open.known, completion))
      return isChanged ? reviewOf(args) : undefined
    },
  }
}
