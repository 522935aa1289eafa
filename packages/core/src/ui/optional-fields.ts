import type { ProviderMetadata } from '../messages/message.ts'

/** The object without undefined fields. */
export function defined<FIELDS extends object>(
  fields: FIELDS,
): { [KEY in keyof FIELDS]?: Exclude<FIELDS[KEY], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [KEY in keyof FIELDS]?: Exclude<FIELDS[KEY], undefined>
  }
}

export function metadataOf({ providerMetadata }: { providerMetadata?: ProviderMetadata }): {
  providerMetadata?: ProviderMetadata
} {
  return providerMetadata ? { providerMetadata } : {}
}
