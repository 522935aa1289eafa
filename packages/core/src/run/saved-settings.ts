import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { ToolChoice } from '../tools/tool.ts'

/** The settings of a step as processors have changed them, as far as they are JSON. */
export interface SavedSettings {
  messages?: Message[]
  systemMessages: SystemMessage[]
  activeTools?: string[]
  toolChoice?: ToolChoice
  providerOptions?: SharedV4ProviderOptions
  modelSettings: ModelSettings
  /** Where a processor asked for a model by its id. */
  modelId?: string
  /** The processor that put in a model object, tools, a schema or a whole prompt: these are not JSON. */
  replacedBy?: string
}
