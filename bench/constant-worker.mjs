/** As little as a worker can do: the most requests a second that this workerd can answer on this machine. */
export default {
  /**
   * @param {Request} _request
   * @param {{ BODY: string }} env
   */
  fetch(_request, env) {
    return new Response(env.BODY, { headers: { "content-type": "application/json;charset=UTF-8" } });
  },
};
