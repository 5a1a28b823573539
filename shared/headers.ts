/** Content types of answers; clients never look at them, people and tools do. */
export const TEXT_HEADERS = { "content-type": "text/plain;charset=UTF-8" };
export const JSON_HEADERS = { "content-type": "application/json;charset=UTF-8" };
