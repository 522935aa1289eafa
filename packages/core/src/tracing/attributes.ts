import type { Attributes } from '@opentelemetry/api'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { StepFinishChunk } from '../results/chunk.ts'
import type { Run } from '../run/run.ts'
import type { RunOutcome } from '../run/run-observer.ts'
import type { Usage } from '../usage.ts'
import {
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY,
  ATTR_GEN_AI_REQUEST_SEED,
  ATTR_GEN_AI_REQUEST_STOP_SEQUENCES,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_K,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  ATTR_MILLRACE_RUN_RESUMED_FROM,
  ATTR_MILLRACE_RUN_STATUS,
  OPERATION_CHAT,
  PROVIDER_NAMES,
} from './semantic-conventions.ts'

/** Name and attributes of a model call's span at its start. Undefined attributes are not recorded. */
export function chatRequest(run: Run, request: ModelRequest): { name: string; attributes: Attributes } {
  const { modelSettings: settings, structuredOutput } = request
  const { provider, modelId } = modelNames(request.model)
  return {
    name: modelId,
    attributes: {
      [ATTR_GEN_AI_OPERATION_NAME]: OPERATION_CHAT,
      [ATTR_GEN_AI_PROVIDER_NAME]: provider,
      [ATTR_GEN_AI_REQUEST_MODEL]: modelId,
      [ATTR_GEN_AI_REQUEST_STREAM]: true,
      [ATTR_GEN_AI_CONVERSATION_ID]: run.requestContext.threadId,
      [ATTR_GEN_AI_OUTPUT_TYPE]: structuredOutput && 'json',
      [ATTR_GEN_AI_REQUEST_TEMPERATURE]: settings.temperature,
      [ATTR_GEN_AI_REQUEST_TOP_P]: settings.topP,
      [ATTR_GEN_AI_REQUEST_TOP_K]: settings.topK,
      [ATTR_GEN_AI_REQUEST_MAX_TOKENS]: settings.maxOutputTokens,
      [ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]: settings.frequencyPenalty,
      [ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]: settings.presencePenalty,
      [ATTR_GEN_AI_REQUEST_STOP_SEQUENCES]: settings.stopSequences,
      [ATTR_GEN_AI_REQUEST_SEED]: settings.seed,
    },
  }
}

/** Attributes that the end of a response adds to the span. */
export function chatResponse({ finishReason, usage, response }: StepFinishChunk): Attributes {
  return {
    [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [finishReason],
    [ATTR_GEN_AI_RESPONSE_ID]: response?.id,
    [ATTR_GEN_AI_RESPONSE_MODEL]: response?.modelId,
    ...usageAttributes(usage),
  }
}

/** Attributes that the end of a run adds to its span. */
export function agentOutcome(run: Run, { result }: RunOutcome): Attributes {
  const { provider, modelId } = modelNames(run.settings.model)
  return {
    [ATTR_GEN_AI_PROVIDER_NAME]: provider,
    [ATTR_GEN_AI_REQUEST_MODEL]: modelId,
    [ATTR_GEN_AI_CONVERSATION_ID]: run.requestContext.threadId,
    [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: result && [result.finishReason],
    [ATTR_MILLRACE_RUN_STATUS]: result?.status,
    [ATTR_MILLRACE_RUN_RESUMED_FROM]: run.resumedFrom?.runId,
    ...usageAttributes(run.state.usage),
  }
}

/** Attributes for the tokens of any number of calls. */
export function usageAttributes({
  inputTokens,
  outputTokens,
  inputTokenDetails,
  outputTokenDetails,
}: Usage): Attributes {
  return {
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: inputTokens,
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: outputTokens,
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: inputTokenDetails.cacheReadTokens,
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: inputTokenDetails.cacheWriteTokens,
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: outputTokenDetails.reasoningTokens,
  }
}

/** The provider by the convention's name, and the model. */
export function modelNames(model: LanguageModel): { provider: string; modelId: string } {
  const slash = typeof model === 'string' ? model.indexOf('/') : -1
  const provider = typeof model === 'string' ? model.slice(0, Math.max(slash, 0)) : model.provider
  const modelId = typeof model === 'string' ? model.slice(slash + 1) : model.modelId
  const [first = '', second = ''] = provider.split('.')
  return {
    provider: PROVIDER_NAMES[`${first}.${second}`] ?? PROVIDER_NAMES[first] ?? (first || '_OTHER'),
    modelId,
  }
}
