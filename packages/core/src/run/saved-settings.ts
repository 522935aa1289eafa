import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { ToolChoice } from '../tools/tool.ts'

/** The settings of a step that processors have changed, as far as they are JSON. */
export interface SavedSettings {
  messages?: Message[]
  systemMessages: SystemMessage[]
  activeTools?: string[]
  toolChoice?: ToolChoice
  providerOptions?: SharedV4ProviderOptions
  modelSettings: ModelSettings
  /** The id of the model, if a processor has set it by id. */
  modelId?: string
  /** The processor that has set a model object, tools, a schema or a whole prompt, which are not JSON. */
  replacedBy?: string
}
